import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { closeBrowser, openPage } from "../../helpers/browser.ts";
import { getJson, otherOrg, pathOf, post, runPeriodic } from "../../helpers/traces.ts";
import { recorded, type ViewerApp, viewerApp } from "../../helpers/viewer.ts";
import { makeZip } from "../../store/archives/zip-maker.ts";
import { lines, options } from "./format/playwright-harness.ts";

setDefaultTimeout(60_000);

const DAY = 86_400_000;

interface Snapshot {
  name: string;
  phase: string | null;
  page: string;
  frame: string;
  is_main_frame: boolean;
  url: string;
  viewport: { width: number; height: number } | null;
  html_url: string;
}
interface DomEvent {
  snapshot: string;
  page: string;
  frame: string;
  phase: string;
  is_main_frame: boolean;
}

let viewer: ViewerApp;

beforeAll(async () => {
  viewer = await viewerApp({
    settings: { auto_pin_failed: false, retention: { hot_days: 2, warm_days: 5, blob_grace_days: 3 } },
  });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

async function snapshotEvents(id: string): Promise<DomEvent[]> {
  const path = `/v1/traces/${id}/events?kind=dom.snapshot&limit=1000`;
  return (await getJson<{ events: DomEvent[] }>(viewer.app, path)).events;
}

const pathFor = (id: string, { snapshot, page, frame }: DomEvent) =>
  `/v1/traces/${id}/snapshots/${encodeURIComponent(snapshot)}?${new URLSearchParams({ page, frame })}`;

/** A snapshot with links that open on the socket. */
async function show(path: string): Promise<Snapshot> {
  // Requests are counted by the second.
  viewer.app.clock.advance(1000);
  const response = await viewer.app.api(path, { headers: { host: new URL(viewer.base).host } });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Snapshot;
}

/** Without a credential, as a sandboxed page asks. */
const open = (url: string) => viewer.app.api(pathOf(url), { headers: { authorization: "" } });

const textOf = (html: string) =>
  html
    .replace(/<style[\s\S]*?<\/style>/gi, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

/** Uploads an archive made of trace lines and resources. */
async function ingestMade(events: unknown[], resources: Record<string, string> = {}): Promise<string> {
  const members = Object.entries({ "trace.trace": lines({ ...options }, ...events), ...resources });
  const zip = makeZip(members.map(([name, content]) => ({ name, content: Buffer.from(content) })));
  const form = new FormData();
  form.set("scenario_slug", "made");
  form.set("bundle", new File([zip as Uint8Array<ArrayBuffer>], "trace.zip"));
  const response = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
  if (response.status !== 200) throw new Error(await response.text());
  await viewer.app.runJobs();
  return ((await response.json()) as { trace_id: string }).trace_id;
}

const snapshotLine = (html: unknown, more: Record<string, unknown> = {}) => ({
  type: "frame-snapshot",
  snapshot: {
    callId: "call@1",
    phase: "after",
    pageId: "page@1",
    frameId: "frame@1",
    frameUrl: "http://shop.test/",
    doctype: "html",
    html,
    viewport: { width: 600, height: 400 },
    timestamp: 2000,
    resourceOverrides: [],
    isMainFrame: true,
    ...more,
  },
});
const resourceLine = (url: string, file: string, mimeType: string, more: Record<string, unknown> = {}) => ({
  type: "resource-snapshot",
  snapshot: {
    _frameref: "frame@1",
    _monotonicTime: 1500,
    startedDateTime: "2023-11-14T22:13:20.000Z",
    time: 1,
    request: { url, method: "GET", headers: [] },
    response: { status: 200, headers: [], content: { _file: file, mimeType, size: 1 } },
    ...more,
  },
});

describe("recorded pages", () => {
  test("of every archive we have are there, for every snapshot event, as the run left them", async () => {
    const fixtures = readdirSync(join(recorded("x"), "..", "..")).filter((name) => /^v\d+-/.test(name));
    const versions = new Set<string>();
    for (const name of fixtures) {
      const { id } = await viewer.ingest(name);
      const events = await snapshotEvents(id);
      expect([name, events.length > 0]).toEqual([name, true]);
      let last = "";
      for (const event of events) {
        const snapshot = await show(pathFor(id, event));
        expect(snapshot).toMatchObject({
          name: event.snapshot,
          phase: event.phase,
          page: event.page,
          frame: event.frame,
          is_main_frame: event.is_main_frame,
        });
        const page = await open(snapshot.html_url);
        expect([name, event.snapshot, page.status]).toEqual([name, event.snapshot, 200]);
        const html = await page.text();
        expect(html).not.toMatch(/<script|<base|javascript:| on\w+="/i);
        if (event.is_main_frame) last = textOf(html);
      }
      const outcome = /could not place your order|Order confirmed|Orders|Sign in|Checkout/i;
      expect([name, outcome.test(last)]).toEqual([name, true]);
      versions.add(name.split("-")[0]!);
    }
    expect(versions.size).toBe(11);
  });

  test("are shown by a browser as they were, with style, pictures, frames, fields and place", async () => {
    for (const name of ["v3-failing", "v8-failing", "v10-failing"]) {
      const { id } = await viewer.ingest(name);
      const events = (await snapshotEvents(id)).filter(({ is_main_frame }) => is_main_frame);
      const { page, complaints, context } = await openPage({ size: { width: 800, height: 600 } });
      const failures: string[] = [];
      page.on("requestfailed", (request) => failures.push(request.url()));
      page.on("response", (response) => {
        if (response.status() >= 400) failures.push(response.url());
      });
      const find = async (pattern: RegExp) => {
        const found = events.filter(({ snapshot }) => pattern.test(snapshot));
        return show(pathFor(id, found[0]!));
      };
      const clicked = await find(/^(action|input)@/);
      await page.setViewportSize(clicked.viewport!);
      await page.goto(clicked.html_url);
      expect(await page.title()).toBe("Everything for the pour · Slow Mornings");
      expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(10);
      expect(await page.evaluate(() => [...document.images].every((image) => image.naturalWidth > 0))).toBe(
        true,
      );
      expect(await page.evaluate(() => window.origin)).toBe("null");
      const background = () => getComputedStyle(document.querySelector("button")!).backgroundColor;
      expect(await page.evaluate(background)).toBe("rgb(138, 59, 18)");

      const end = await show(pathFor(id, events.at(-1)!));
      await page.goto(end.html_url);
      expect(await page.getByText("We could not place your order.").isVisible()).toBe(true);
      expect(await page.locator("#email").inputValue()).toBe("ada@example.com");
      expect(page.frames().length).toBe(2);
      expect(await page.frameLocator("iframe").locator("#card").inputValue()).toStartWith("4242");
      expect([...complaints, ...failures]).toEqual([]);
      await context.close();
    }
  });

  test("are there too when the archive came in a bundle with its events", async () => {
    const { id } = await viewer.ingest("v10-failing");
    const exported = await viewer.app.api(`/v1/traces/${id}/export`);
    const form = new FormData();
    form.set("scenario_slug", "again");
    form.set("bundle", new File([await exported.bytes()], "bundle.tar.zst"));
    const answer = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
    await viewer.app.runJobs();
    const { trace_id: again } = (await answer.json()) as { trace_id: string };
    const event = (await snapshotEvents(again)).at(-1)!;
    const html = async (of: string) => (await open((await show(pathFor(of, event))).html_url)).text();
    expect(await html(again)).toBe(await html(id));
  });

  test("follow the time: a style sheet is the one that was loaded by then, or changed by then", async () => {
    const link = [
      "HTML",
      {},
      ["HEAD", {}, ["LINK", { rel: "stylesheet", href: "/a.css" }]],
      ["BODY", {}, ["P", {}, "x"]],
    ];
    const url = "http://shop.test/a.css";
    const at = (callId: string, timestamp: number, overrides: unknown[] = []) =>
      snapshotLine(link, { callId, timestamp, resourceOverrides: overrides });
    const id = await ingestMade(
      [
        resourceLine(url, "resources/red.css", "text/css"),
        at("call@1", 2000),
        resourceLine(url, "resources/green.css", "text/css", { _monotonicTime: 2500 }),
        at("call@2", 3000),
        at("call@3", 4000, [{ url, file: "resources/blue.css" }]),
        at("call@4", 5000, [{ url, ref: 1 }]),
      ],
      {
        "resources/red.css": "p{color:rgb(255,0,0)}",
        "resources/green.css": "p{color:rgb(0,255,0)}",
        "resources/blue.css": "p{color:rgb(0,0,255)}",
      },
    );
    const { page, context } = await openPage();
    const colours: string[] = [];
    for (const call of [1, 2, 3, 4]) {
      await page.goto((await show(`/v1/traces/${id}/snapshots/after@call@${call}`)).html_url);
      colours.push(await page.evaluate(() => getComputedStyle(document.querySelector("p")!).color));
    }
    expect(colours).toEqual(["rgb(255, 0, 0)", "rgb(0, 255, 0)", "rgb(0, 0, 255)", "rgb(0, 0, 255)"]);
    await context.close();
  });

  test("have shadow roots, their style sheets, scrolled boxes and open dialogs without a script", async () => {
    const rows = Array.from({ length: 50 }, (_, row) => ["LI", {}, `row ${row}`]);
    const root = [
      "template",
      { __playwright_shadow_root_: "open" },
      ["B", {}, "within"],
      ["template", { __playwright_style_sheet_: "b{color:rgb(1,2,3)}" }],
    ];
    const id = await ingestMade([
      snapshotLine([
        "HTML",
        {},
        [
          "BODY",
          {},
          ["X-CARD", {}, root],
          ["UL", { style: "height:100px;overflow:auto", __playwright_scroll_top_: "300" }, ...rows],
          ["DIALOG", { __playwright_dialog_open_: "modal" }, "Really?"],
          ["DIV", { popover: "auto", __playwright_popover_open_: "true" }, "Menu"],
        ],
      ]),
    ]);
    const { page, context } = await openPage();
    await page.goto((await show(`/v1/traces/${id}/snapshots/after@call@1`)).html_url);
    const seen = await page.evaluate(() => {
      const within = document.querySelector("x-card")!.shadowRoot!.querySelector("b")!;
      return {
        text: within.textContent,
        colour: getComputedStyle(within).color,
        scrollTop: document.querySelector("ul")!.scrollTop,
      };
    });
    expect(seen).toEqual({ text: "within", colour: "rgb(1, 2, 3)", scrollTop: 300 });
    expect(await page.getByText("Really?").isVisible()).toBe(true);
    expect(await page.getByText("Menu").isVisible()).toBe(true);
    await context.close();
  });
});

describe("a hostile page", () => {
  test("runs nothing, leads nowhere and asks no other place, even when its style sheet tries", async () => {
    const run = "document.title='owned';parent.postMessage('owned','*');alert(1)";
    const id = await ingestMade(
      [
        resourceLine("http://shop.test/evil.css", "resources/evil.css", "text/css"),
        resourceLine("http://shop.test/evil.svg", "resources/evil.svg", "image/svg+xml"),
        resourceLine("http://shop.test/evil.html", "resources/evil.html", "text/html"),
        snapshotLine([
          "HTML",
          { onload: run },
          [
            "HEAD",
            {},
            ["TITLE", {}, "harmless"],
            ["META", { "http-equiv": "refresh", content: "0;url=/traces" }],
            ["LINK", { rel: "stylesheet", href: "evil.css" }],
            ["STYLE", {}, `</style><script>${run}</script>`],
          ],
          [
            "BODY",
            { onload: run, background: "http://evil.test/b.png" },
            ["SCRIPT", {}, run],
            ["IMG", { src: "x", onerror: run }],
            ["IMG", { src: "evil.svg" }],
            ["IMG", { src: "/v1/traces" }],
            ["IMG", { src: "../../../../../v1/traces" }],
            ["IFRAME", { src: `javascript:${run}`, srcdoc: `<script>${run}</script>` }],
            ["IFRAME", { src: "/snapshot/frame@2" }],
            ["OBJECT", { data: "evil.html" }],
            ["EMBED", { src: "evil.html" }],
            [
              "svg",
              { onload: run },
              ["use", { href: "http://evil.test/x.svg#a" }],
              ["image", { href: "http://evil.test/y.png" }],
            ],
            ["A", { id: "away", href: "http://evil.test/", target: "_top" }, "away"],
            [
              "FORM",
              { action: "http://evil.test/", method: "post" },
              ["BUTTON", { id: "send", formaction: "http://evil.test/" }, "send"],
            ],
            ["P", { style: "background:u\\72l(http://evil.test/p.png)" }, "text"],
            ["IMG/onerror=alert(1)/src=x", {}],
            ["NOSCRIPT", {}, `</noscript><img src=x onerror="${run}">`],
            [
              "math",
              {},
              [
                "mtext",
                {},
                [
                  "TABLE",
                  {},
                  ["mglyph", {}, ["STYLE", {}, `<!--</style><img title="--><img src=x onerror=${run}>">`]],
                ],
              ],
            ],
          ],
        ]),
        snapshotLine(["HTML", {}, ["BODY", { onload: run }, "inner", ["SCRIPT", {}, run]]], {
          frameId: "frame@2",
          isMainFrame: false,
        }),
      ],
      {
        "resources/evil.css":
          "@import 'http://evil.test/i.css';p{background:url(http://evil.test/q.png)}@font-face{font-family:a;src:\\75rl(http://evil.test/f)}p{font-family:a;behavior:url(x.htc);background:\\75 rl(http://evil.test/z)}",
        "resources/evil.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><script>${run}</script></svg>`,
        "resources/evil.html": `<script>${run}</script>`,
      },
    );
    const { html_url } = await show(`/v1/traces/${id}/snapshots/after@call@1`);
    const { page, complaints, context } = await openPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(html_url);
    await page.locator("#away").click();
    await page.locator("#send").click();
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("harmless");
    expect(page.url()).toStartWith(html_url.split("#")[0]!);
    const root = html_url.slice(0, html_url.indexOf("/d/"));
    expect(asked.filter((url) => !url.startsWith(`${root}/`) && !url.startsWith("data:"))).toEqual([]);
    expect(
      complaints.filter((text) => !/Content Security Policy|sandboxed|decode downloaded font/.test(text)),
    ).toEqual([]);
    expect(
      page
        .frames()
        .map((frame) => frame.url())
        .filter((url) => url.includes("/d/")).length,
    ).toBe(2);
    const answer = await open(html_url);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toContain("sandbox; default-src 'none'");
    expect(policy).not.toMatch(/allow-|script-src/);
    await context.close();
  });

  test("cannot make one of its files a page or a script of this server", async () => {
    const id = await ingestMade(
      [
        snapshotLine(["HTML", {}, ["IMG", { src: "a.html" }], ["IMG", { src: "b.js" }]]),
        resourceLine("http://shop.test/a.html", "resources/a.html", "text/html"),
        resourceLine("http://shop.test/b.js", "resources/b.js", "text/javascript"),
      ],
      { "resources/a.html": "<script>alert(1)</script>", "resources/b.js": "alert(1)" },
    );
    const { html_url } = await show(`/v1/traces/${id}/snapshots/after@call@1`);
    const root = html_url.slice(0, html_url.indexOf("/d/"));
    for (const part of ["r/0", "r/1"]) {
      const answer = await open(`${root}/${part}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).not.toContain("script");
      expect(answer.headers.get("content-security-policy")).toStartWith("sandbox; default-src 'none'");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("access to recorded pages", () => {
  let id = "";
  let path = "";
  beforeAll(async () => {
    ({ id } = await viewer.ingest("v10-failing"));
    path = pathFor(id, (await snapshotEvents(id)).at(-1)!);
  });

  test("needs the right to read the trace", async () => {
    expect((await viewer.app.api(path, { headers: { authorization: "" } })).status).toBe(401);
    const other = await otherOrg(viewer.app);
    expect((await other.api(path)).status).toBe(403);
  });

  test("by a link ends when the link does, and holds for that trace alone", async () => {
    const { html_url } = await show(path);
    const { id: otherId } = await viewer.ingest("v9-passing");
    expect((await open(html_url)).status).toBe(200);
    expect((await open(html_url.replace(id, otherId))).status).toBe(403);
    expect((await open(html_url.replace(/\.[\w-]{4}/, ".AAAA"))).status).toBe(403);
    expect((await open(html_url.replace(/\/(\d+)\./, (_, at) => `/${Number(at) + 60}.`))).status).toBe(403);
    viewer.app.clock.advance(viewer.app.deps.config.settings.signed_url_seconds * 1000 + 1000);
    expect((await open(html_url)).status).toBe(403);
    expect((await open((await show(path)).html_url)).status).toBe(200);
  });

  test("is refused in words for what is not there", async () => {
    const missing = await viewer.app.api(`/v1/traces/${id}/snapshots/before@nowhere`);
    expect(missing.status).toBe(404);
    const { html_url } = await show(path);
    const root = html_url.slice(0, html_url.indexOf("/d/"));
    for (const part of ["d/0/9999", "d/99/0", "c/0/0/9999", "r/9999"])
      expect([part, (await open(`${root}/${part}`)).status]).toEqual([part, 404]);
    for (const part of ["d/0/x", "d/-1/0", "r/1e3"])
      expect([part, (await open(`${root}/${part}`)).status]).toEqual([part, 400]);
  });

  test("works through a share link, and ends with it", async () => {
    const shared = (await (
      await post(viewer.app, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 })
    ).json()) as { short_id: string };
    const publicPath = path.replace(`/v1/traces/${id}`, `/r/${shared.short_id}`);
    const answer = await viewer.app.api(publicPath, { headers: { authorization: "" } });
    expect(answer.status).toBe(200);
    const { html_url } = (await answer.json()) as Snapshot;
    expect((await open(html_url)).status).toBe(200);
    await post(viewer.app, `/v1/traces/${id}/share`, { visibility: "org-only", expires_days: 1 });
    expect((await open(html_url)).status).toBe(403);
    await viewer.app.api(`/v1/traces/${id}/share`, { method: "DELETE" });
    expect((await viewer.app.api(publicPath, { headers: { authorization: "" } })).status).toBe(404);
  });

  test("is the same from a pack, refused from the cold, and back after a restore", async () => {
    const { id: ageing } = await viewer.ingest("v8-failing");
    const mains = (await snapshotEvents(ageing)).filter(({ is_main_frame }) => is_main_frame);
    const own = pathFor(ageing, mains.find(({ snapshot }) => snapshot.startsWith("after@"))!);
    const all = async () => {
      const { html_url } = await show(own);
      const html = await (await open(html_url)).text();
      const root = html_url.slice(0, html_url.indexOf("/d/"));
      const parts = [...html.matchAll(/\.\.\/\.\.\/([cr]\/[\d/]+)/g)].map(([, part]) => part!);
      const bodies = await Promise.all(parts.map(async (part) => (await open(`${root}/${part}`)).text()));
      return { html, bodies };
    };
    const hot = await all();
    expect(hot.bodies.length).toBeGreaterThan(0);
    const age = async (days: number) => {
      viewer.app.clock.advance(days * DAY + 1);
      await runPeriodic(viewer.app, "tiers");
    };
    await age(2);
    expect((await getJson(viewer.app, `/v1/traces/${ageing}`)).tier).toBe("warm");
    expect(await all()).toEqual(hot);
    const { html_url } = await show(own);
    await age(5);
    expect((await getJson(viewer.app, `/v1/traces/${ageing}`)).tier).toBe("cold");
    const refused = await viewer.app.api(own);
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([409, "not_hot"]);
    expect((await open(html_url)).status).toBe(403);
    await post(viewer.app, `/v1/traces/${ageing}/restore`);
    await viewer.app.runJobs();
    expect(await all()).toEqual(hot);
  });
});
