import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openPage } from "../../helpers/browser.ts";
import { recordedPages, resourceLine, snapshotLine, textOf } from "../../helpers/recorded-pages.ts";
import { recorded } from "../../helpers/viewer.ts";

setDefaultTimeout(120_000);

const pages = recordedPages();
const { snapshotEvents, pathFor, show, open, ingestMade } = pages;

describe("recorded pages", () => {
  test("of every archive we have are there, for every snapshot event, as the run left them", async () => {
    const fixtures = readdirSync(join(recorded("x"), "..", "..")).filter((name) => /^v\d+-/.test(name));
    const versions = new Set<string>();
    for (const name of fixtures) {
      const { id } = await pages.viewer().ingest(name);
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
      const { id } = await pages.viewer().ingest(name);
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
    const { id } = await pages.viewer().ingest("v10-failing");
    const exported = await pages.viewer().app.api(`/v1/traces/${id}/export`);
    const form = new FormData();
    form.set("scenario_slug", "again");
    form.set("bundle", new File([await exported.bytes()], "bundle.tar.zst"));
    const answer = await pages.viewer().app.api("/v1/traces/ingest", { method: "POST", body: form });
    await pages.viewer().app.runJobs();
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
