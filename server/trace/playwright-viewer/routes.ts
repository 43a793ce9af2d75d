import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../http/errors.ts";
import { readSessionCookie, sessionCookie } from "../../identity/session-cookie.ts";
import { inlineScriptHashes, VIEWER_PATH, viewerFiles } from "./service.ts";

/**
 * Playwright's own trace viewer, unchanged, for archives of this server only. Its page opens on a signed archive URL and
 * nothing else, so that no foreign link can make it load something of its own choosing here; its other files are
 * Playwright's and hold nothing of anybody's.
 */
export const playwrightViewerRoutes = (deps: Pick<Deps, "signedUrls">) => {
  let files: Map<string, string> | null = null;
  return new Elysia({ prefix: VIEWER_PATH }).get(
    "/*",
    async ({ params, request }) => {
      files ??= viewerFiles();
      const path = files.get(params["*"]);
      if (!path) throw notFound("This file of Playwright's viewer");
      const file = Bun.file(path);
      if (!path.endsWith(".html")) return new Response(file, { headers: fileHeaders(params["*"]) });
      if (params["*"] === "index.html") deps.signedUrls.verify(archiveUrl(request));
      const html = await file.text();
      return new Response(html, { headers: pageHeaders(html, request) });
    },
    { detail: { hide: true } },
  );
};

/** The `trace` parameter, when it is a URL of the origin the page itself is asked from. */
function archiveUrl(request: Request): URL {
  const page = new URL(request.url);
  const trace = page.searchParams.get("trace") ?? "";
  if (!URL.canParse(trace) || new URL(trace).origin !== page.origin)
    throw notFound("An archive at that link");
  return new URL(trace);
}

const SHARED_HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

function fileHeaders(name: string): Record<string, string> {
  const isNamedByContent = /[-.][\w-]{8}\.(js|css|ttf)$/.test(name);
  return {
    ...SHARED_HEADERS,
    "cache-control": isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache",
    // Binds the service worker, which would else fetch whatever address an archive names.
    "content-security-policy": "default-src 'self'; object-src 'none'; base-uri 'none'",
    "content-disposition": "inline",
  };
}

function pageHeaders(html: string, request: Request): Record<string, string> {
  const headers: Record<string, string> = {
    ...SHARED_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": [
      "default-src 'self'",
      `script-src 'self' ${inlineScriptHashes(html).join(" ")}`.trimEnd(),
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self' data:",
      "media-src 'self' blob:",
      "connect-src 'self' data: blob:",
      "frame-src 'self' data: blob:",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join("; "),
  };
  // Somebody who signed in at both loopback names: what an archive holds must not run beside a session.
  if (readSessionCookie(request.headers.get("cookie") ?? ""))
    headers["set-cookie"] = sessionCookie("", false);
  return headers;
}
