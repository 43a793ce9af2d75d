import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { mayBeAskedFor, mayBeShown } from "../../../../server/run/addresses.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(180_000);

const WORD = "what-nobody-is-to-read";
let lab: RunLab;
let folder: string;
let secret: string;
beforeAll(async () => {
  lab = await runLab();
  folder = mkdtempSync(join(tmpdir(), "tracedeck-reach-"));
  writeFileSync(join(folder, "secret.html"), `<body>${WORD}`);
  secret = pathToFileURL(join(folder, "secret.html")).href;
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true });
});

const quoted = (address: string) =>
  `"${address.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n")}"`;

/** Everything that a store keeps, unpacked where it is packed. */
function keptBytes(root: string): string {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      if (!entry.name.endsWith(".zst")) return bytes.toString("latin1");
      return Buffer.from(Bun.zstdDecompressSync(bytes)).toString("latin1");
    })
    .join("\n");
}

describe("a scenario opens no other addresses than http, https, data and about:blank", () => {
  test("whatever a file, a folder, or a page of the browser's own is called", async () => {
    const host = lab.shop.url;
    const refused = [
      secret,
      secret.replace("file:", "FILE:"),
      ` ${secret}`,
      secret.replace("file:", "fi\tle\n:"),
      pathToFileURL(`${folder}/`).href,
      `file:${join(folder, "secret.html")}`,
      `view-source:${host}/`,
      `view-source:${secret}`,
      "chrome://version",
      "chrome:version",
      "devtools://devtools/bundled/inspector.html",
      "about:version",
      "about:srcdoc",
      `blob:${host}/9a1c`,
      `filesystem:${host}/temporary/a`,
      "javascript:document.write(1)",
    ];
    for (const address of refused) {
      const { status, error, traceId } = await lab.run([
        `go to ${quoted(address)}`,
        'set x to text of css "body"',
      ]);
      expect({ address, status, reason: error?.reason, stepId: error?.stepId }).toEqual({
        address,
        status: "error",
        reason: "url_not_allowed",
        stepId: "s1",
      });
      expect(error?.message).toContain("http, https, data and about:blank");
      const kinds = (await lab.events(traceId)).map(({ kind }) => kind);
      expect(kinds).not.toContain("network.request");
    }
    const kept = keptBytes(lab.app.dataDir);
    expect(kept).toContain("agent.action");
    expect(kept).not.toContain(WORD);
  });

  test("nor asks for them", async () => {
    for (const address of [secret, "chrome://version", "FTP://localhost/x"]) {
      const { status, error } = await lab.run([`request GET ${quoted(address)}`]);
      expect({ address, status, reason: error?.reason }).toEqual({
        address,
        status: "error",
        reason: "url_not_allowed",
      });
    }
  });

  test("nor those that its values or its base make", async () => {
    const made = await lab.run([`set where to "${secret}"`, 'go to "${vars.where}"']);
    expect(made).toMatchObject({ status: "error", error: { reason: "url_not_allowed", stepId: "s2" } });
    // A plan that no compiler made may have any base.
    const based = await lab.run(['go to "secret.html"'], { baseUrl: pathToFileURL(`${folder}/`).href });
    expect(based).toMatchObject({ status: "error", error: { reason: "url_not_allowed" } });
  });

  test("and opens the others", async () => {
    for (const address of [
      lab.shop.url.replace("http", "HTTP"),
      "/",
      "data:text/html,<p>Hello</p>",
      "about:blank",
    ])
      expect({ address, status: (await lab.run([`go to ${quoted(address)}`])).status }).toEqual({
        address,
        status: "passed",
      });
  });
});

describe("a page that a scenario opened", () => {
  const links = (to: string) =>
    `<a id=same href="${to}">same</a> <a id=other target=_blank rel=opener href="${to}">other</a>
     <a id=saved download href="${to}">saved</a>
     <button id=open onclick="window.open('${to}')">open</button>
     <button id=blank onclick="window.open('about:blank').location = '${to}'">blank</button>
     <button id=move onclick="location = '${to}'">move</button>
     <button id=within onclick="show('iframe src'); show('object data'); show('embed src'); show('img src')">within</button>
     <button id=ask onclick="fetch('${to}').catch(tell); import('${to}').catch(tell); try { new Worker('${to}') } catch (e) { tell(e) }">ask</button>
     <p id=told></p>
     <script>const tell = () => { told.textContent += 'refused '; };
     const show = (what) => document.body.insertAdjacentHTML('beforeend', '<' + what + '="${to}"></' + what.split(' ')[0] + '>');</script>`;

  test("leads to no file, by no link, window, frame, worker, download or redirect, and fails no run by trying", async () => {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) =>
        new URL(url).pathname === "/away"
          ? new Response(null, { status: 302, headers: { location: secret } })
          : new Response(links(secret), { headers: { "content-type": "text/html" } }),
    });
    const here = server.url.href;
    try {
      const starts = [`go to "${here}"`, `go to "data:text/html,${encodeURIComponent(links(secret))}"`];
      const clicks = ["same", "saved", "move", "within", "ask", "other", "open", "blank"];
      for (const start of starts) {
        const steps = clicks.map((id) => `click css "#${id}"`);
        // Where a window opened the steps go on in it.
        const there = [start, ...steps.slice(0, 5), 'expect text "refused refused" in css "#told"'];
        const { status, error, traceId } = await lab.run(there);
        expect({ status, error }).toEqual({ status: "passed", error: null });
        for (const click of steps.slice(5)) {
          const opened = await lab.run([start, click, "wait 100ms"]);
          expect(opened.status).toBe("passed");
        }
        expect(JSON.stringify(await lab.events(traceId))).not.toContain(WORD);
      }
      const redirected = await lab.run([`go to "${here}away"`]);
      expect(redirected).toMatchObject({ status: "failed", error: { reason: null } });
      expect(redirected.error?.message).toContain("net::ERR_UNSAFE_REDIRECT");
    } finally {
      await server.stop(true);
    }
    expect(keptBytes(lab.app.dataDir)).not.toContain(WORD);
  });

  test("may lead to what the browser itself knows to handle, and fails no run by it", async () => {
    const pdf =
      "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj trailer<</Root 1 0 R>>";
    const page = `<iframe src="/pdf"></iframe><a href="mailto:a@shop.test" target=_blank>Mail</a>
      <button onclick="window.open('about:version')">Open</button>`;
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) =>
        url.endsWith("/pdf")
          ? new Response(pdf, { headers: { "content-type": "application/pdf" } })
          : new Response(page, { headers: { "content-type": "text/html" } }),
    });
    const start = `go to "${server.url.href}"`;
    for (const click of ['click link "Mail"', 'click button "Open"']) {
      const { error } = await lab.run([start, "wait 300ms", click, "wait 500ms"]);
      // A browser without a mail program may leave the click waiting: that is not the run's own error.
      expect({ click, reason: error?.reason ?? null }).toEqual({ click, reason: null });
    }
    await server.stop(true);
  });

  test("ends its run when the browser shows such an address all the same", async () => {
    const running = lab.run(['go to "/"', "wait 60s"]);
    const shown = () =>
      lab.owned.browser
        .contexts()
        .flatMap((context) => context.pages())
        .find((page) => page.url().startsWith(lab.shop.url));
    await until("the run shows the shop", () => shown() !== undefined);
    await shown()!
      .goto(secret)
      .catch(() => {});
    const ended = await running;
    expect(ended).toMatchObject({ status: "error", error: { reason: "url_not_allowed" } });
    const urls = (await lab.events(ended.traceId)).map(({ url }) => String(url));
    expect(urls.filter((url) => url.startsWith("file:"))).toEqual([]);
    expect(keptBytes(lab.app.dataDir)).not.toContain(WORD);
  });
});

test("what may be asked for is a part of what may be shown, and never a file", () => {
  const schemes = fc.constantFrom(
    "file",
    "chrome",
    "view-source",
    "http",
    "https",
    "data",
    "about",
    "blob",
    "ftp",
    "x",
  );
  fc.assert(
    fc.property(schemes, fc.string(), fc.boolean(), (scheme, rest, isUpper) => {
      const url = URL.parse(`${isUpper ? scheme.toUpperCase() : scheme}:${rest}`);
      if (!url) return;
      if (mayBeAskedFor(url)) expect(mayBeShown(url.href)).toBe(true);
      expect(mayBeAskedFor(url)).toBe(
        ["http", "https", "data"].includes(scheme) || (scheme === "about" && url.pathname === "blank"),
      );
    }),
  );
});
