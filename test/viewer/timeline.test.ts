import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const BUNDLES = join(import.meta.dir, "..", "..", "fixtures", "bundles");

let viewer: ViewerApp;
/** Moves the page's clock by 30 days three times, and injects an outage. */
let renewal: string;
/** Waits for 1.56 s after a payment, then 1.5 s for a text that never comes. */
let checkout: string;

async function upload(name: string): Promise<string> {
  const form = new FormData();
  form.set("scenario_slug", name);
  form.set("bundle", Bun.file(join(BUNDLES, name, "bundle.tar.zst")), "bundle.tar.zst");
  const response = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
  if (response.status !== 200) throw new Error(await response.text());
  const { trace_id: id } = (await response.json()) as { trace_id: string };
  await viewer.app.runJobs();
  return id;
}

beforeAll(async () => {
  viewer = await viewerApp();
  renewal = await upload("renewal-agent");
  checkout = await upload("checkout-every-kind");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const sliderOf = (page: Page) => page.getByRole("slider", { name: /^Position in the trace/ });

async function trackOf(page: Page) {
  const box = await sliderOf(page).boundingBox();
  if (!box) throw new Error("There is no timeline.");
  return box;
}

/** The middle of a lane, from the top of the page. */
async function laneY(page: Page, name: string): Promise<number> {
  const box = await page.locator(".lane-name").getByText(name, { exact: true }).boundingBox();
  if (!box) throw new Error(`There is no lane ${name}.`);
  return box.y + box.height / 2;
}

/** A span of time in the address, ms. */
function span(page: Page, name: "w" | "z"): [from: number, to: number] {
  const [from = 0, to = 0] = (new URL(page.url()).searchParams.get(name) ?? "").split("~").map(Number);
  return [from, to];
}

const position = async (page: Page) => Number(await sliderOf(page).getAttribute("aria-valuenow"));

async function keys(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) await page.keyboard.press(name);
}

test("idle time is narrow and says how long it was; a window drawn across it holds both sides", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${checkout}`);
  const folded = page.locator(".break-label");
  await folded.getByText("1.56 s").waitFor();
  const [first, second] = await page.locator(".break.is-idle").all();
  const [before, after] = [await first?.boundingBox(), await second?.boundingBox()];
  if (!before || !after) throw new Error("Nothing is folded.");
  expect(before.width).toBeLessThan(60);
  const y = await laneY(page, "Console");
  await page.mouse.move(before.x - 40, y);
  await page.mouse.down();
  await page.mouse.move(before.x + before.width + 4, y, { steps: 3 });
  await page.mouse.up();
  await eventually(() => {
    const [from, to] = span(page, "w");
    expect(to - from).toBeGreaterThan(1560);
    expect(to - from).toBeLessThan(1900);
  });
  await keys(page, "0");
  await page.waitForURL((url) => !url.searchParams.has("w"));
  await keys(page, "t", "i");
  await folded.first().waitFor({ state: "detached" });
  await page.reload();
  await page.locator(".lane-name").first().waitFor();
  await eventually(async () => expect(await folded.count()).toBe(0));
  expect(complaints).toEqual([]);
  await context.close();
});

test("where the page's clock was moved its own time can be read everywhere, and the address keeps the choice", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renewal}`);
  const choice = page.getByRole("button", { name: /^The page's own clock/ });
  await choice.waitFor();
  await page.getByText("at 1.165 s, took 185 ms").waitFor();
  await keys(page, "t", "v");
  await page.getByText("at 60 d 1:00:01.165 s, took 185 ms").waitFor();
  await eventually(async () => expect(await page.locator(".break.is-jump").count()).toBe(4));
  await eventually(async () =>
    expect(await page.locator(".break-label").allInnerTexts()).toEqual(["+30 d", "+30 d", "+1 h", "+30 d"]),
  );
  await eventually(async () => expect(await choice.getAttribute("aria-pressed")).toBe("true"));
  await page.waitForURL(/clock=virtual/);
  await picture(page, "timeline-virtual");
  await page.reload();
  await page.getByText("at 60 d 1:00:01.165 s, took 185 ms").waitFor();
  const track = await trackOf(page);
  await page.mouse.move(track.x + track.width * 0.5, await laneY(page, "Actions"));
  const times = page.locator(".preview-time");
  await eventually(async () =>
    expect(await times.first().innerText()).toMatch(/^page\s+60 d 0:00:00\.\d{3} s/),
  );
  await eventually(async () =>
    expect(await times.last().innerText()).toMatch(/^wall\s+0\.\d{3} s\s+.*06:30:00\.\d{3}$/),
  );
  expect(complaints).toEqual([]);
  await context.close();
  const other = await viewer.open(`/traces/${(await viewer.ingest("v10-failing")).id}?clock=virtual`);
  await other.page.locator(".lane-name").first().waitFor();
  await eventually(async () =>
    expect(await other.page.getByRole("button", { name: /own clock/ }).count()).toBe(0),
  );
  await other.context.close();
});

test("an injected fault lights the requests it hit and what went wrong after it, by pointer and by key", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renewal}`);
  await page.getByRole("button", { name: /^The page's own clock/ }).waitFor();
  const lit = page.locator("canvas.tie");
  await eventually(async () => expect(await lit.count()).toBe(0));
  await keys(page, "t", "j");
  await lit.waitFor();
  await eventually(async () => expect(await position(page)).toBe(360));
  await picture(page, "timeline-injection");
  await keys(page, "Escape");
  await lit.waitFor({ state: "detached" });
  const needle = await page.locator(".playhead").boundingBox();
  await page.mouse.move(needle?.x ?? 0, await laneY(page, "Injections"));
  await lit.waitFor();
  const preview = page.locator(".film-preview");
  await preview.getByText("Error injected for **/v1/charges: 503").waitFor();
  await preview.getByText("Hit 1 request; 1 error after it.").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("lanes are hidden one by one in a menu that stays open, and stay hidden", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${checkout}`);
  const names = page.locator(".lane-name");
  await names.first().waitFor();
  await names.nth(9).waitFor();
  const all = await names.allInnerTexts();
  expect(all).toHaveLength(10);
  await keys(page, "t", "l");
  const menu = page.getByRole("menu", { name: /^Timeline settings/ });
  await menu.getByRole("menuitemcheckbox", { name: "DOM" }).click();
  await menu.getByRole("menuitemcheckbox", { name: "Console" }).press("Enter");
  await eventually(async () =>
    expect(await menu.getByRole("menuitemcheckbox", { name: "DOM" }).getAttribute("aria-checked")).toBe(
      "false",
    ),
  );
  expect(await findings(page)).toEqual([]);
  await keys(page, "Escape");
  await menu.waitFor({ state: "detached" });
  const left = all.filter((name) => name !== "DOM" && name !== "Console");
  await eventually(async () => expect(await names.allInnerTexts()).toEqual(left));
  // Hits on a hidden lane are still marked on the ruler.
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Find in this trace" }).fill("checkout failed");
  await page.locator(".find-hit").first().waitFor();
  await page.waitForFunction(() => {
    const [ruler, hits] = ["canvas.ruler", "canvas.hits"].map((one) =>
      document.querySelector<HTMLCanvasElement>(one),
    );
    if (!ruler || !hits) return false;
    // A copy is read: the browser warns of a canvas that is read time and again.
    const copy = new OffscreenCanvas(ruler.width, ruler.height).getContext("2d", {
      willReadFrequently: true,
    });
    copy!.drawImage(hits, 0, 0);
    const pixels = copy!.getImageData(0, 0, ruler.width, ruler.height).data;
    // The colour of hits: #b3009e.
    for (let at = 0; at < pixels.length; at += 4)
      if (pixels[at] === 0xb3 && pixels[at + 1] === 0 && pixels[at + 2] === 0x9e) return true;
    return false;
  });
  await page.reload();
  await names.first().waitFor();
  await eventually(async () => expect(await names.allInnerTexts()).toEqual(left));
  await page.getByRole("button", { name: /^Timeline settings/ }).click();
  await menu.getByRole("menuitem", { name: "Show all lanes" }).click();
  await eventually(async () => expect(await names.allInnerTexts()).toEqual(all));
  expect(complaints).toEqual([]);
  await context.close();
});

test("the wheel zooms around the pointer, Shift drags the view, a double click and 0 show all again", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renewal}`);
  await page.getByRole("button", { name: /^The page's own clock/ }).waitFor();
  const track = await trackOf(page);
  const [x, y] = [track.x + track.width * 0.4, await laneY(page, "Actions")];
  const time = page.locator(".preview-time").first();
  const thumb = page.locator(".minimap-thumb");
  await page.mouse.move(x, y);
  const before = await time.innerText();
  await page.mouse.wheel(0, -600);
  await thumb.waitFor();
  await page.mouse.move(x + 1, y);
  await page.mouse.move(x, y);
  await eventually(async () => expect(await time.innerText()).toBe(before));
  await page.waitForURL(/[?&]z=\d+/);
  const address = page.url();
  const left = (await thumb.boundingBox())?.x ?? 0;
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x - 200, y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await eventually(async () => expect((await thumb.boundingBox())?.x ?? 0).toBeGreaterThan(left));
  expect(page.url()).not.toContain("w=");
  await page.mouse.dblclick(x, y);
  await thumb.waitFor({ state: "detached" });
  await keys(page, "+", "+");
  await thumb.waitFor();
  await keys(page, "-");
  await keys(page, "0");
  await thumb.waitFor({ state: "detached" });
  await page.goto(address);
  await thumb.waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("the focused timeline is a slider: arrows, ends and a window by keys, and moving draws no lane again", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renewal}`);
  const slider = sliderOf(page);
  await page.getByRole("button", { name: /^The page's own clock/ }).waitFor();
  await slider.focus();
  await keys(page, "Home");
  await eventually(async () => expect(await position(page)).toBe(0));
  await page.evaluate(() => {
    const counted = window as unknown as { drawn: number };
    const { fillRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillRect = function (...box) {
      counted.drawn += 1;
      fillRect.apply(this, box);
    };
  });
  const drawn = (): Promise<number> =>
    page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return (window as unknown as { drawn: number }).drawn;
    });
  // The lists of the lanes come in their own time, and are drawn then.
  await eventually(async () => {
    await page.evaluate(() => Object.assign(window, { drawn: 0 }));
    await keys(page, "ArrowRight", "ArrowLeft");
    expect(await drawn()).toBe(0);
  });
  await keys(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight");
  const moved = await position(page);
  expect(moved).toBeGreaterThan(80);
  await eventually(async () =>
    expect(await slider.getAttribute("aria-valuetext")).toMatch(
      /^0\.\d+ seconds, Advance the clock by 30 days/,
    ),
  );
  await keys(page, "i", "End", "ArrowLeft", "o");
  await eventually(() => {
    const [from, to] = span(page, "w");
    expect(Math.abs(from - moved)).toBeLessThanOrEqual(1);
    expect(to).toBeGreaterThan(1300);
  });
  expect(await drawn()).toBe(0);
  const words = await slider.evaluate(
    (element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent,
  );
  expect(words).toContain("Injections 2");
  expect(complaints).toEqual([]);
  await context.close();
});

test("each page has its own strip of pictures, and the preview shows the page under the pointer", async () => {
  const { id } = await viewer.ingest("v10-two-pages");
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  const strips = page.locator(".film-strip");
  await strips.nth(1).waitFor();
  await eventually(async () => expect(await strips.allInnerTexts()).toEqual(["Page 1", "Page 2"]));
  await strips.nth(1).locator("img").last().waitFor();
  const shown = () => page.locator(".film-preview img").getAttribute("src");
  const point = async (at: number): Promise<void> => {
    const box = await strips.nth(at).boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.98, (box?.y ?? 0) + 16);
  };
  await point(0);
  const first = await shown();
  await point(1);
  await eventually(async () => expect(await shown()).not.toBe(first));
  expect(complaints).toEqual([]);
  await context.close();
});

test("two fingers zoom on a phone", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renewal}`, {
    size: PHONE,
    isPhone: true,
  });
  await sliderOf(page).waitFor();
  const track = await trackOf(page);
  const touch = await context.newCDPSession(page);
  const [x, y] = [track.x + track.width / 2, await laneY(page, "Network")];
  const fingers = (apart: number) => [
    { x: x - apart, y, id: 0 },
    { x: x + apart, y, id: 1 },
  ];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(20) });
  for (const apart of [40, 60, 80])
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(apart) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.locator(".minimap-thumb").waitFor();
  // Four times as close, around the middle of 1.4 s.
  await eventually(() => {
    const [from, to] = span(page, "z");
    expect(to - from).toBeGreaterThan(300);
    expect(to - from).toBeLessThan(400);
    expect(Math.abs((from + to) / 2 - 700)).toBeLessThan(60);
  });
  expect(page.url()).not.toContain("w=");
  expect(complaints).toEqual([]);
  await context.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on a timeline with folds, jumps and a lit fault, wide and on a phone, ${theme}`, async () => {
    for (const size of [undefined, PHONE]) {
      const options = size ? { size, isPhone: true, theme } : { theme };
      const { page, context, complaints } = await viewer.open(`/traces/${renewal}?clock=virtual`, options);
      await page.locator(".break.is-jump").first().waitFor();
      await keys(page, "t", "j");
      await page.locator("canvas.tie").waitFor();
      expect(await findings(page)).toEqual([]);
      await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
      await picture(page, `timeline-${theme}${size ? "-phone" : ""}`);
      expect(complaints).toEqual([]);
      await context.close();
    }
  });
}
