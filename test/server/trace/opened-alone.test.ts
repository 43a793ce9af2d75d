import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { browserWithElsewhere, type Elsewhere } from "../../helpers/elsewhere.ts";
import { ingestArchive, snapshotLine } from "../../helpers/recorded-pages.ts";
import { pathOf, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let base: string;
let elsewhere: Elsewhere;
beforeAll(async () => {
  app = await testApp();
  base = app.listen();
  elsewhere = await browserWithElsewhere();
});
afterAll(async () => {
  await elsewhere.close();
  await app.close();
});

/** What reaches another host as soon as it is in a page: by itself, and in the forms that break out of an element. */
const REACHES =
  '<meta http-equiv="refresh" content="0;url=http://evil.test/refresh"><link rel="preconnect" href="http://evil.test">' +
  '<link rel="dns-prefetch" href="http://evil.test"><img src="http://evil.test/pixel">';
const FORMS = [
  REACHES,
  `</style>${REACHES}`,
  `<!--</style>-->${REACHES}`,
  `--!>${REACHES}`,
  `]]>${REACHES}`,
  `<![CDATA[</style>]]>${REACHES}`,
  `</title></textarea></xmp></noscript></template></svg></math>${REACHES}`,
  `&lt;/style&gt;&#60;meta http-equiv=refresh content=0;url=http://evil.test/entity&#62;`,
];
const around = (name: string, ...children: unknown[]) => [name, {}, ...children];
const texts = FORMS.flatMap((text) => [
  ...[
    "style",
    "title",
    "desc",
    "script",
    "noscript",
    "xmp",
    "plaintext",
    "template",
    "textarea",
    "iframe",
    "p",
  ].map((name) => around("svg", around(name, text))),
  ...["style", "mtext", "annotation-xml", "xmp", "noembed"].map((name) => around("math", around(name, text))),
  around("math", around("mtext", around("mglyph", around("style", text)))),
  around("FORM", around("math", around("mtext", around("FORM", around("mglyph", around("style", text)))))),
  around(
    "svg",
    around("foreignObject", around("math", around("mi", around("malignmark", around("STYLE", text))))),
  ),
  around("TABLE", around("svg", around("STYLE", text.slice(0, 1), text.slice(1)))),
  around("IFRAME", around("IFRAME", text)),
  around("TITLE", around("P", text)),
  around("SELECT", around("OPTION", around("svg", around("style", text)))),
  ["svg", {}, ["set", { attributename: "href", ATTRIBUTENAME: "href", to: "http://evil.test/set" }]],
  [
    "svg",
    {},
    ["rect", { fill: "url(http://evil.test/paint.svg#a)", filter: "url(http://evil.test/f.svg#a)" }],
  ],
]);

/** How many connections there were in all, once these addresses have been opened in tabs of their own. */
async function connectionsOf(...urls: string[]): Promise<number> {
  const tabs: Page[] = [];
  for (const url of urls) {
    const tab = await elsewhere.context.newPage();
    tabs.push(tab);
    // What is offered for saving is no page, and going there is said to fail.
    await tab.goto(url).catch((error: Error) => {
      if (!/download|ERR_ABORTED/i.test(error.message)) throw error;
    });
  }
  return connectionsUntilNow(tabs);
}

/** The last connection is made here, to another listener, and what was made before it has come by then. */
async function connectionsUntilNow(tabs: Page[]): Promise<number> {
  for (const tab of tabs) await tab.waitForLoadState("networkidle");
  const last = await elsewhere.context.newPage();
  await last.goto("http://later.test/last").catch(() => {});
  for (const tab of [...tabs, last]) await tab.close();
  return elsewhere.connections();
}

test("a page that reaches elsewhere is seen to, so that what follows says something", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response('<link rel="preconnect" href="http://evil.test"><p>own', {
        headers: { "content-type": "text/html" },
      }),
  });
  const before = elsewhere.connections();
  expect(await connectionsOf(server.url.href)).toBeGreaterThan(before);
  await server.stop(true);
});

test("a recorded page opened by itself connects to nobody, whatever its texts hold and wherever they stand", async () => {
  const id = await ingestArchive(app, [
    snapshotLine(["HTML", {}, ["BODY", {}, ...texts, ["P", {}, "whole"]]]),
  ]);
  const path = `/v1/traces/${id}/snapshots/after@call@1`;
  const shown = (await (await app.api(path, { headers: { host: new URL(base).host } })).json()) as Record<
    "html_url" | "inspect_url",
    string
  >;
  const before = elsewhere.connections();
  expect(await connectionsOf(shown.html_url, shown.inspect_url)).toBe(before);
  const page = await elsewhere.context.newPage();
  await page.goto(shown.html_url);
  expect(await page.locator("p", { hasText: "whole" }).count()).toBe(1);
  expect(await page.locator("meta, link, base, script, img").count()).toBe(0);
  await page.close();
});

const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><head>${REACHES.replaceAll(">", "/>")}</head></html>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">${REACHES.replaceAll(">", "/>")}</body></foreignObject></svg>`;
const FILES: [type: string, text: string][] = [
  ["text/html", `<!doctype html><p>captured</p>${REACHES}`],
  ["text/html; charset=utf-8", `<!doctype html>${REACHES} `],
  ["application/xhtml+xml", XHTML],
  ["text/xml", `<?xml version="1.0"?>${XHTML}`],
  ["application/xml", `${XHTML} `],
  ["application/rss+xml", `${XHTML}  `],
  ["image/svg+xml", SVG],
  ["multipart/related; boundary=x", `${REACHES}   `],
  ["message/rfc822", `Content-Type: text/html\r\n\r\n${REACHES}`],
  ["application/pdf", `%PDF-1.4 ${REACHES}`],
  ["text/plain", `${REACHES}     `],
  ["image/png", `<html>${REACHES}`],
];

test("a captured file opened by itself connects to nobody, whatever it is", async () => {
  const lines = eventLines(FILES.length, (seq) => ({
    kind: "network.response",
    request_id: `r${seq}`,
    status: 200,
    url: "http://shop.test/",
    headers: [],
    body: `sha256:${sha256(FILES[seq]![1])}`,
    media_type: FILES[seq]![0],
  }));
  const { id } = await uploadTrace(app, { entries: [events(lines), ...FILES.map(([, text]) => blob(text))] });
  const urls: string[] = [];
  for (const [type, text] of FILES) {
    const link = await app.api(`/v1/traces/${id}/blob/${sha256(text)}`);
    const path = pathOf(link.headers.get("location")!);
    urls.push(base + path);
    const served = await app.api(path);
    if (/html|xml/.test(type)) {
      const isShown = served.headers.get("content-disposition")!.startsWith("inline");
      expect([type, isShown && !served.headers.get("content-type")!.startsWith("text/plain")]).toEqual([
        type,
        false,
      ]);
    }
  }
  const before = elsewhere.connections();
  expect(await connectionsOf(...urls)).toBe(before);
});

const RECORDED = (attributes: Record<string, string>) => ({
  type: 2,
  tagName: "link",
  attributes,
  childNodes: [],
  id: 7,
});

const PAGE =
  `<!doctype html><html><head>${REACHES}<noscript>${REACHES}</noscript><svg><style>${REACHES}</style></svg>` +
  "<style>p { color: rgb(1, 2, 3) }</style></head><body><p>Seen: ü 😀</p></body></html>";
const UTF_16 = Buffer.from(`\ufeff${PAGE}`, "utf16le");

test.each([
  ["UTF-8", Buffer.from(PAGE)],
  ["UTF-8 with a mark", Buffer.from(`\ufeff${PAGE}`)],
  ["UTF-16", UTF_16],
  ["UTF-16, the other way round", Buffer.from(UTF_16).swap16()],
])(
  "a captured page that the viewer shows in a frame connects to nobody either, and looks as it did: %s",
  async (_, html) => {
    const { id } = await uploadTrace(app, {
      entries: [
        events(
          eventLines(1, () => ({
            kind: "dom.snapshot",
            url: "http://shop.test/",
            html: `sha256:${sha256(html)}`,
          })),
        ),
        blob(html),
      ],
    });
    const shown = await app.api(`/v1/traces/${id}/blob/${sha256(html)}?as=page`);
    const path = pathOf(shown.headers.get("location")!);
    const before = elsewhere.connections();
    expect(await connectionsOf(base + path)).toBe(before);
    const page = await elsewhere.context.newPage();
    await page.goto(base + path);
    expect(await page.locator("link, meta, base, noscript").count()).toBe(0);
    expect(await page.getByText("Seen: ü 😀").evaluate((node) => getComputedStyle(node).color)).toBe(
      "rgb(1, 2, 3)",
    );
    await page.close();
  },
);

test("a recording that is replayed connects to nobody, also by what comes into the page later", async () => {
  const START = 1_767_323_045_000;
  const line = (after: number, type: number, data: unknown) =>
    JSON.stringify({ type, timestamp: START + after, data });
  const element = (id: number, tagName: string, ...childNodes: unknown[]) => ({
    type: 2,
    tagName,
    attributes: {},
    childNodes,
    id,
  });
  const later = { ...RECORDED({ rel: "PRECONNECT stylesheet", href: "http://evil.test/2" }), id: 9 };
  const recording = [
    line(10, 4, { href: "http://shop.test/", width: 800, height: 600 }),
    line(11, 2, {
      node: {
        type: 0,
        id: 1,
        childNodes: [
          element(
            2,
            "html",
            element(3, "head", RECORDED({ rel: "preconnect", href: "http://evil.test" })),
            element(4, "body", element(5, "p", { type: 3, id: 6, textContent: "Harmless" })),
          ),
        ],
      },
      initialOffset: { top: 0, left: 0 },
    }),
    line(500, 3, {
      source: 0,
      texts: [],
      removes: [],
      adds: [{ parentId: 4, nextId: null, node: later }],
      attributes: [],
    }),
    line(900, 3, {
      source: 0,
      texts: [],
      removes: [],
      adds: [],
      attributes: [{ id: 7, attributes: { rel: "preconnect", href: "http://third.evil.test/" } }],
    }),
  ].join("\n");
  const lines = eventLines(5, (seq) => ({ ts: START + seq * 1000 }));
  const { id, shortId } = await uploadTrace(app, {
    entries: [events(lines), { name: "rrweb.ndjson", content: recording }],
  });
  const body = JSON.stringify({ visibility: "public-read", expires_days: 1 });
  await app.api(`/v1/traces/${id}/share`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  const before = elsewhere.connections();
  const page = await elsewhere.context.newPage();
  await page.goto(`${base}/r/${shortId}?view=replay&t=2000`);
  await page.locator('iframe[data-shown="2000"]').waitFor();
  const replayed = page
    .frameLocator('iframe[title="The page, replayed"]')
    .frameLocator('iframe[title="Replay"]')
    .frameLocator("iframe")
    .first();
  await replayed.getByText("Harmless").waitFor();
  expect(await connectionsUntilNow([page])).toBe(before);
});
