import { isViewerPath } from "../../viewer/page-table.ts";

/**
 * Content security of every page: nothing but what this server sends, no inline script, no foreign frame around it.
 * @param options.scripts what stands within the page and may run, named by its hash; `styles` likewise
 */
export function pagePolicy(options: { mayBeFramed: boolean; scripts?: string[]; styles?: string[] }): string {
  const { scripts = [], styles = [] } = options;
  return [
    "default-src 'self'",
    ...(scripts.length > 0 ? [`script-src 'self' ${scripts.map(hashSource).join(" ")}`] : []),
    "img-src 'self' data: blob:",
    ["style-src 'self'", ...styles.map(hashSource)].join(" "),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-src 'self'",
    "object-src 'none'",
    `frame-ancestors ${options.mayBeFramed ? "*" : "'none'"}`,
  ].join("; ");
}

/** How a policy names a piece of a page (CSP 3, section 2.3.1). */
function hashSource(text: string): string {
  return `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;
}

/** Whether whoever asks for a page wants its text instead: no browser does. */
export function wantsMarkdown(request: Request): boolean {
  return /(?:^|,)\s*text\/markdown\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(
    request.headers.get("accept") ?? "",
  );
}

/** Whether a person is looking at this path with a browser, so that errors there are pages too. */
export function isPagePath(path: string): boolean {
  return isViewerPath(path) || path.startsWith("/r/");
}

/** What programs call, and files that pages load: whatever asks there is answered as a program. */
const PROGRAM_PATH = /^\/(?:v1|api|internal|files|run-files|assets|mcp|\.well-known)(?:\/|$)/;

/** Whether a browser asks for a page to show at this path, which is nobody's but the viewer's. */
export function isPageVisit(request: Request, path: string): boolean {
  if (request.method !== "GET" || PROGRAM_PATH.test(path)) return false;
  const destination = request.headers.get("sec-fetch-dest");
  if (destination !== null) return destination === "document";
  return /(?:^|,)\s*text\/html\s*(?:;|,|$)/i.test(request.headers.get("accept") ?? "");
}

/** To the sign-in page, with the way back to where the request went. */
export function toSignIn(request: Request): Response {
  const { pathname, search } = new URL(request.url);
  const location = `/signin?next=${encodeURIComponent(pathname + search)}`;
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

export const NOTICE_STYLE_PATH = "/assets/notice.css";

/** The look of `noticePage`, a file of its own because pages allow no inline style. */
export const NOTICE_STYLE = `:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { display: grid; min-height: 90vh; place-content: center; margin: 0; padding: 16px;
  background: light-dark(#fff, #15171a); color: light-dark(#1b2027, #e2e5e9); }
main { max-width: 32rem; }
h1 { font-size: 18px; margin: 0 0 8px; }
p { margin: 0 0 8px; color: light-dark(#535c68, #a1aab4); }
a { color: light-dark(#1a5fc2, #6cabff); }
`;

/**
 * A page that only says something: an expired link, a page that does not exist.
 * @param help where the documentation tells more
 */
export function noticePage(status: number, title: string, text: string, help: string): Response {
  return framedPage({
    ...{ status, title, style: NOTICE_STYLE_PATH, policy: pagePolicy({ mayBeFramed: false }) },
    main: `<h1>${escapeHtml(title)}</h1>${text && `<p>${escapeHtml(text)}</p>`}<p><a href="${escapeHtml(help)}">What this means</a></p>`,
  });
}

/** The policy of a page that is a form or a few words: nothing runs there, and its form goes here or to `formsTo`, a source of CSP. */
export function formPolicy(formsTo?: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "base-uri 'none'",
    ["form-action 'self'", ...(formsTo ? [formsTo] : [])].join(" "),
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * The frame of pages that the server makes whole and that work without scripts. No search engine lists them and nothing keeps them.
 * @param page.title as text; `main` as HTML, `style` the path of its style sheet, `policy` its content security
 */
export function framedPage(page: {
  status?: number;
  title: string;
  style: string;
  main: string;
  policy: string;
  headers?: Record<string, string>;
}): Response {
  const { status = 200, title, style, main, policy, headers = {} } = page;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Tracedeck</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": "no-store",
      ...headers,
    },
  });
}

/**
 * The page that recordings are played in. A recording is somebody else's markup, and what puts it together must reach
 * into it, so the player runs in a document that has no origin: one of a `data:` address, which inherits this page's
 * policy and can neither read anything of this server nor touch the viewer. (A sandboxed frame has no origin either, but
 * then not even its own frames are its own.) In it runs the player's one script and loads nothing; the recorded page lies
 * in one more frame, where no script runs at all.
 * @param script absolute URL of the player's script
 */
export function playerPage(script: string): Response {
  const inner = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Replay</title><body><script src="${escapeHtml(script)}"></script>`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Replay</title>
<style>html, body, iframe { display: block; width: 100%; height: 100%; margin: 0; border: 0; overflow: hidden }</style>
<iframe title="Replay" src="data:text/html;charset=utf-8,${encodeURIComponent(inner)}"></iframe>
`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": [
        "default-src 'none'",
        `script-src ${script}`,
        "style-src 'unsafe-inline'",
        "img-src data: blob:",
        "font-src data:",
        "media-src data: blob:",
        "frame-src data:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; "),
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      // Else the names of hosts that recorded links lead to are looked up.
      "x-dns-prefetch-control": "off",
      "x-content-type-options": "nosniff",
    },
  });
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}
