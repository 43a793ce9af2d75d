import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

interface Heard {
  path: string;
  method: string;
  header: string | null;
}

/** A server that keeps what it was asked for; `pages` are its answers by path. */
function startEar(pages: Record<string, { type: string; body: string }>, cors?: Record<string, string>) {
  const heard: Heard[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      heard.push({
        path: pathname,
        method: request.method,
        header: request.headers.get("x-synthetic-source"),
      });
      const page = pages[pathname];
      if (request.method === "OPTIONS") return new Response(null, { status: 403 });
      return new Response(page?.body ?? "", {
        status: page ? 200 : 404,
        headers: { "content-type": page?.type ?? "text/plain", ...cors },
      });
    },
  });
  return { heard, url: `http://127.0.0.1:${server.port}`, port: server.port, stop: () => server.stop(true) };
}

const html = (body: string) => ({ type: "text/html", body: `<!doctype html><title>t</title><body>${body}` });
const js = (body: string) => ({ type: "text/javascript", body });
/** Says whether the flag is there, as the first script of the page. */
const TELL = (what: string) =>
  `<script>fetch("/flag/${what}/" + (window.__PRODUCT_SYNTHETIC__ === true)).then(() => document.body.append("told"));</script>`;

const FLAGGED = (what: string) => `fetch("/flag/${what}/" + (self.__PRODUCT_SYNTHETIC__ === true));`;

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

describe("what marks a run as synthetic", () => {
  test("every request carries the header and every page the flag: frames, popups, workers; service workers, which cannot be marked, do not start", async () => {
    const site = startEar({
      "/": html(
        `${TELL("page")}<iframe src="/frame"></iframe><iframe srcdoc='<script>fetch("/flag/srcdoc/" + (window.__PRODUCT_SYNTHETIC__ === true))</script>'></iframe>
        <button onclick="window.open('/popup')">Open</button><img src="/picture">
        <script>
          new Worker("/worker.js");
          new Worker("/module.js", { type: "module" });
          new SharedWorker("/shared.js").port.onmessage = () => document.body.append("shared too");
          const code = "fetch('" + location.origin + "/flag/blob/' + (self.__PRODUCT_SYNTHETIC__ === true))";
          new Worker(URL.createObjectURL(new Blob([code])));
          navigator.serviceWorker.register("/service.js");
        </script>`,
      ),
      "/frame": html(TELL("frame")),
      "/popup": html(TELL("popup")),
      "/worker.js": js(`${FLAGGED("worker")} new Worker("/nested.js");`),
      "/nested.js": js(FLAGGED("nested")),
      "/module.js": js(`import "/imported.js"; ${FLAGGED("module")}`),
      "/imported.js": js(FLAGGED("imported")),
      "/shared.js": js(
        `const flag = ${FLAGGED("shared")} onconnect = ({ ports }) => flag.then(() => ports[0].postMessage(1));`,
      ),
      "/service.js": js(`fetch("/flag/service/any");`),
      "/asked": { type: "application/json", body: "{}" },
    });
    try {
      const { status, error } = await lab.run(
        [
          `go to "${site.url}/"`,
          'expect text "told" within 10s',
          // An answer is there once the server has heard the request.
          ...["frame", "srcdoc", "worker", "nested", "module", "imported", "blob"].map(
            (what) => `expect request GET "**/flag/${what}/**" status 404 within 10s`,
          ),
          'expect text "shared too" within 10s',
          'click button "Open"',
          'expect text "told" within 10s',
          `request POST "${site.url}/asked" with "{}"`,
        ],
        {},
      );
      expect({ status, error }).toEqual({ status: "passed", error: null });
      const paths = site.heard.map(({ path }) => path);
      const pages = ["page", "frame", "srcdoc", "popup"];
      for (const what of [...pages, "worker", "nested", "module", "imported", "blob", "shared"])
        expect(paths).toContain(`/flag/${what}/true`);
      expect(paths).toContain("/asked");
      expect(paths).not.toContain("/service.js");
      expect(site.heard.filter(({ header }) => header !== "product-monitor")).toEqual([]);
    } finally {
      await site.stop();
    }
  });

  test("workers that a worker starts in its first line have the flag, every one of them", async () => {
    const site = startEar({
      "/": html(
        `<script>
          const told = [];
          for (let at = 0; at < 60; at++)
            new Worker("/worker.js").onmessage = ({ data }) => {
              if (told.push(data) === 60) document.body.append(told.filter(Boolean).length + " of 60 have it");
            };
        </script>`,
      ),
      "/worker.js": js(
        `const nested = new Blob(["postMessage(self.__PRODUCT_SYNTHETIC__ === true)"]);
        new Worker(URL.createObjectURL(nested)).onmessage = ({ data }) => postMessage(data);`,
      ),
    });
    try {
      const { error } = await lab.run([`go to "${site.url}/"`, 'expect text "60 of 60 have it" within 30s']);
      expect(error).toBeNull();
    } finally {
      await site.stop();
    }
  });

  test("an origin that is left out gets no header, from pages and from steps, where a refused preflight would stop it", async () => {
    const api = startEar(
      { "/data": { type: "application/json", body: '{"a":1}' } },
      { "access-control-allow-origin": "*" },
    );
    const site = startEar({
      "/": html(
        `<script>
          const tell = (text) => document.body.append(text);
          fetch("http://127.0.0.1:${api.port}/data").then((answer) => tell("got " + answer.status), () => tell("refused"));
          new SharedWorker("/shared.js").port.onmessage = ({ data }) => tell("shared got " + data);
        </script>`,
      ),
      "/shared.js": js(
        `onconnect = ({ ports }) => fetch("http://127.0.0.1:${api.port}/data").then(({ status }) => ports[0].postMessage(status), () => ports[0].postMessage("nothing"));`,
      ),
    });
    const steps = [
      `go to "${site.url}/"`,
      'expect text "got 200" within 10s',
      'expect text "shared got 200" within 10s',
      `request GET "${api.url}/data"`,
    ];
    try {
      const { status } = await lab.run(steps, { excludeOrigins: [api.url] });
      expect(status).toBe("passed");
      const asked = api.heard.filter(({ path }) => path === "/data");
      expect(asked.map(({ method, header }) => [method, header])).toEqual([
        ["GET", null],
        ["GET", null],
        ["GET", null],
      ]);
      expect(site.heard.filter(({ header }) => header !== "product-monitor")).toEqual([]);

      // What is not left out is marked, there too.
      api.heard.length = 0;
      await lab.run([`request GET "${api.url}/data"`]);
      expect(api.heard.map(({ header }) => header)).toEqual(["product-monitor"]);
    } finally {
      await api.stop();
      await site.stop();
    }
  });
});
