import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { closeBrowser } from "../helpers/browser.ts";
import { eventLines, events } from "../helpers/bundles.ts";
import { uploadTrace } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

/** Of the first event of `eventLines`. */
const START = 1_767_323_045_000;
const RUN =
  "try{top.__ran=1}catch(e){};try{parent.__ran=1}catch(e){};self.__ran=1;location='http://evil.test/ran'";

let viewer: ViewerApp;
beforeAll(async () => {
  viewer = await viewerApp();
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

let ids = 1;
type Node = Record<string, unknown>;
const element = (tagName: string, attributes: Node = {}, childNodes: Node[] = []): Node => ({
  type: 2,
  tagName,
  attributes,
  childNodes,
  id: ids++,
});
const text = (textContent: string): Node => ({ type: 3, textContent, id: ids++ });
const documentOf = (...body: Node[]): Node => ({
  type: 0,
  childNodes: [element("html", {}, [element("head"), element("body", {}, body)])],
  id: ids++,
});
const line = (after: number, type: number, data: unknown): string =>
  `${JSON.stringify({ type, timestamp: START + after, data })}\n`;
const begin = (after: number, ...body: Node[]): string =>
  line(after, 4, { href: "http://shop.test/", width: 800, height: 600 }) +
  line(after, 2, { node: documentOf(...body), initialOffset: { top: 0, left: 0 } });

/** A trace of four seconds with this recording. */
async function traceWith(recording: string): Promise<string> {
  const lines = eventLines(5, (seq) => ({ ts: START + seq * 1000 }));
  const entries = [events(lines), { name: "rrweb.ndjson", content: recording }];
  return (await uploadTrace(viewer.app, { entries })).id;
}

const replayed = (page: Page) =>
  page
    .frameLocator('iframe[title="The page, replayed"]')
    .frameLocator('iframe[title="Replay"]')
    .frameLocator("iframe")
    .first();

test("nothing that was recorded runs, leaves, or loads from elsewhere", async () => {
  const id = await traceWith(
    begin(
      10,
      element("script", {}, [text(RUN)]),
      element("img", { src: "http://evil.test/pixel.png", onerror: RUN, onload: RUN }),
      element("img", { src: "data:image/png;base64,xx", onerror: RUN }),
      element("meta", { "http-equiv": "refresh", content: "0;url=http://evil.test/refresh" }),
      element("base", { href: "http://evil.test/" }),
      element("link", { rel: "stylesheet", href: "http://evil.test/a.css" }),
      element("style", {}, [
        text("@import url(http://evil.test/b.css); p { background: url(http://evil.test/c) }"),
      ]),
      element("iframe", { srcdoc: `<script>${RUN}</script>` }),
      element("iframe", { src: `javascript:${RUN}` }),
      element("iframe", { src: "http://evil.test/frame" }),
      element("object", { data: "http://evil.test/object" }),
      element("svg", { onload: RUN, isSVG: true }),
      element("form", { action: "http://evil.test/form", target: "_top" }, [
        element("button", { autofocus: true, onfocus: RUN }, [text("Send")]),
      ]),
      element("a", { href: `javascript:${RUN}`, target: "_top" }, [text("Away")]),
      element("p", { style: "color: rgb(1, 2, 3)" }, [text("Harmless")]),
    ) +
      line(500, 3, { source: 8, id: 1, adds: [{ rule: "p{background:url(http://evil.test/rule)}" }] }) +
      line(600, 3, { source: 10, family: "x", fontSource: "url(http://evil.test/font)", buffer: false }) +
      line(700, 3, { source: 9, id: 1, type: 0, property: "constructor", args: [RUN] }) +
      line(800, 3, { source: 2, type: 2, id: ids - 4, x: 5, y: 5 }) +
      line(900, 3, { source: 1, positions: [] }),
  );
  const { page, context } = await viewer.open("/traces");
  const asked: string[] = [];
  await context.route(/evil\.test/, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ body: "", contentType: "text/html" });
  });
  const before = page.context().pages().length;
  await page.goto(`${viewer.base}/traces/${id}?view=replay`);
  const harmless = replayed(page).getByText("Harmless");
  await harmless.waitFor();
  await page.locator("iframe[data-shown]").waitFor();
  // What applies is the recorded style, not the recorded script.
  await eventually(async () =>
    expect(await harmless.evaluate((node) => getComputedStyle(node).color)).toBe("rgb(1, 2, 3)"),
  );
  await page.getByRole("slider", { name: "Playing position" }).fill("2000");
  await page.locator('iframe[data-shown="2000"]').waitFor();
  expect(asked).toEqual([]);
  expect(page.context().pages().length).toBe(before);
  const player = page.frames().find((frame) => frame.url().startsWith("data:"))!;
  for (const frame of [page.mainFrame(), player.parentFrame()!, player, player.childFrames()[0]!]) {
    const ran = await frame.evaluate(() => (window as unknown as { __ran?: number }).__ran);
    expect(ran).toBeUndefined();
  }
  const reach = await player.evaluate(async (api) => {
    const tries = {
      origin: () => self.origin,
      viewer: () => parent.parent.document.title,
      storage: () => localStorage.length,
      cookies: () => document.cookie,
    };
    const found = Object.entries(tries).map(([name, run]) => {
      try {
        return [name, String(run())];
      } catch {
        return [name, "refused"];
      }
    });
    const server = await fetch(api).then(
      () => "answered",
      () => "refused",
    );
    return { ...Object.fromEntries(found), server };
  }, `${viewer.base}/v1/traces`);
  expect(reach).toEqual({
    origin: "null",
    viewer: "refused",
    storage: "refused",
    cookies: "refused",
    server: "refused",
  });
  await context.close();
});

test("a recording that begins late says when, and goes there", async () => {
  const id = await traceWith(begin(2500, element("p", {}, [text("Here at last")])));
  const { page, context, complaints } = await viewer.open(`/traces/${id}?view=replay&t=1000`);
  await page.getByText("The recording begins at 2.500 s.").waitFor();
  await page.getByRole("button", { name: "Go there" }).click();
  await replayed(page).getByText("Here at last").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("one without a whole page, and an empty one, say so", async () => {
  const changes = line(10, 3, { source: 0, adds: [], removes: [], texts: [], attributes: [] });
  const { page, context } = await viewer.open(`/traces/${await traceWith(changes)}?view=replay`);
  await page.getByText("never the whole page, so it cannot be replayed").waitFor();
  await page.goto(`${viewer.base}/traces/${await traceWith("\n")}?view=replay`);
  await page.getByText("The recording is empty.").waitFor();
  await context.close();
});

test("past the end of a recording that was cut short its last page is not passed off as the page of the moment", async () => {
  const mark = line(1500, 3, { source: 2, type: 2, id: 1, x: 5, y: 5 });
  const id = await traceWith(`${begin(10, element("p", {}, [text("Early")]))}${mark}{"type":3,"timest`);
  const { page, context, complaints } = await viewer.open(`/traces/${id}?view=replay&t=3500`);
  await page.getByText("The recording was cut short at 1.500 s.").waitFor();
  await picture(page, "trace-replay-cut");
  await page.getByRole("button", { name: "Go to its end" }).click();
  await page.locator('iframe[data-shown="1500"]').waitFor();
  await page.getByText("The recording was cut short at 1.500 s.").waitFor({ state: "detached" });
  await replayed(page).getByText("Early").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a damaged line costs itself", async () => {
  const id = await traceWith(
    `${begin(10, element("p", {}, [text("Still here")]))}{"type":3,\n${line(20, 3, null)}${line(30, 3, { source: 0 })}`,
  );
  const { page, context } = await viewer.open(`/traces/${id}?view=replay`);
  await replayed(page).getByText("Still here").waitFor();
  await page.getByText(/left out/).waitFor();
  await context.close();
});

test("fifty megabytes open, and the page answers while they are gone through", async () => {
  const list = element("ul");
  const from = begin(10, list);
  const filler = "x".repeat(9_000);
  const lines = [from];
  for (let at = 0; at < 5600; at += 1)
    lines.push(
      line(11 + Math.floor(at * 0.7), 3, {
        source: 0,
        texts: [],
        attributes: [],
        removes: at > 20 ? [{ parentId: list.id, id: 1_000_000 + at - 20 }] : [],
        adds: [
          {
            parentId: list.id,
            nextId: null,
            node: {
              type: 2,
              tagName: "li",
              attributes: { title: filler },
              childNodes: [],
              id: 1_000_000 + at,
            },
          },
        ],
      }),
    );
  const recording = lines.join("");
  expect(recording.length).toBeGreaterThan(50_000_000);
  const id = await traceWith(recording);
  const { page, context } = await viewer.open("/traces");
  // The longest that the page did not come to draw.
  await page.addInitScript(() => {
    if (self !== top) return;
    const scope = window as unknown as { __longest: number; __begun: number };
    scope.__longest = 0;
    let last = performance.now();
    const beat = (): void => {
      const now = performance.now();
      scope.__longest = Math.max(scope.__longest, now - last);
      last = now;
      setTimeout(beat, 0);
    };
    addEventListener("load", () => {
      last = performance.now();
      scope.__begun = last;
      beat();
    });
  });
  page.setDefaultTimeout(120_000);
  await page.goto(`${viewer.base}/traces/${id}?view=replay&t=3990`);
  const items = replayed(page).locator("li");
  await page.locator('iframe[data-shown="3990"]').waitFor();
  await page.getByText(/^Recording from 0.010 to 3.\d+ s$/).waitFor();
  await eventually(async () => expect(await items.count()).toBe(21));
  // One piece of work after the other, between which the page has its turn, and none of them most of it all.
  const { longest, whole } = await page.evaluate(() => {
    const { __longest, __begun } = window as unknown as { __longest: number; __begun: number };
    return { longest: __longest, whole: performance.now() - __begun };
  });
  expect(longest).toBeLessThan(whole / 2);
  // Back to the beginning: the whole page again, and what came after it is gone.
  await page.getByRole("slider", { name: "Playing position" }).fill("20");
  await page.locator('iframe[data-shown="20"]').waitFor();
  await eventually(async () => expect(await items.count()).toBeLessThan(21));
  await context.close();
});
