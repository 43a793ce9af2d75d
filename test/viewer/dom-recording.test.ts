import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { uploadForm } from "../helpers/bundles.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const BUNDLE = join(import.meta.dir, "../../fixtures/bundles/checkout-recorded/bundle.tar.zst");

let viewer: ViewerApp;
let trace: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  const body = uploadForm(await Bun.file(BUNDLE).bytes(), { scenario_slug: "guest-pays" });
  const answer = await viewer.app.api("/v1/traces/ingest", { method: "POST", body });
  const { trace_id, short_id } = (await answer.json()) as { trace_id: string; short_id: string };
  await viewer.app.runJobs();
  trace = { id: trace_id, shortId: short_id };
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

/** The recorded page, three frames down: the player's page, its document without an origin, the page. */
function replayed(page: Page): FrameLocator {
  return page
    .frameLocator('iframe[title="The page, replayed"]')
    .frameLocator('iframe[title="Replay"]')
    .frameLocator("iframe");
}

/** Where the playhead stands, ms since the first event. */
const playhead = async (page: Page): Promise<number> =>
  Number(await page.getByRole("slider", { name: "Playing position" }).inputValue());

/** Waits until the playhead has passed a moment. */
const passed = (page: Page, ms: number) =>
  page.waitForFunction(
    (from) => Number(document.querySelector<HTMLInputElement>(".rail input")?.value) > from,
    ms,
  );

test("the recording is replayed up to the instant of the step, and follows every step", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${trace.id}?view=replay`);
  await replayed(page).getByText("We could not place your order.").waitFor();
  await eventually(async () =>
    expect(await replayed(page).getByLabel("Email").inputValue()).toBe("ada@example.com"),
  );
  await picture(page, "trace-replay");
  await page.getByRole("slider", { name: "Playing position" }).fill("4000");
  await replayed(page).getByRole("heading", { name: "Your cart" }).waitFor();
  await page.getByRole("treeitem", { name: /cart-link/, selected: true }).waitFor();
  await page.getByRole("treeitem", { name: /Pay now/ }).click();
  await page.getByRole("button", { name: "Before", exact: true }).click();
  await replayed(page).getByRole("button", { name: "Pay now" }).waitFor();
  await eventually(async () =>
    expect(await replayed(page).getByText("We could not place your order.").count()).toBe(0),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("playing moves the one playhead, and page, step and address follow it", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${trace.id}?view=replay&t=4000`);
  await replayed(page).getByRole("heading", { name: "Your cart" }).waitFor();
  await eventually(async () => expect(await playhead(page)).toBe(4000));
  await page.getByRole("slider", { name: "Playing position" }).fill("4100");
  await page.getByRole("slider", { name: "Playing position" }).blur();
  await page.getByRole("treeitem", { name: /cart-link/, selected: true }).waitFor();
  await page.keyboard.press(">");
  await page.keyboard.press(">");
  await eventually(async () => expect(await page.getByLabel("Speed").inputValue()).toBe("4"));
  for (const key of ["<", "<", "<"]) await page.keyboard.press(key);
  await eventually(async () => expect(await page.getByLabel("Speed").inputValue()).toBe("0.5"));
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await replayed(page).getByRole("heading", { name: "Checkout" }).waitFor();
  await page.getByRole("treeitem", { name: /cart-link/, selected: false }).waitFor();
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  await eventually(async () => {
    const stands = await playhead(page);
    expect(stands).toBeGreaterThan(4000);
    expect(new URL(page.url()).searchParams.get("t")).toBe(String(stands));
  });
  // What stands stays: nothing that follows the playhead moves it in turn.
  await page.keyboard.press("ArrowDown");
  await page.waitForURL((url) => !url.searchParams.has("t"));
  expect(complaints).toEqual([]);
  await context.close();
});

test("whoever moves the playhead while it plays moves what is played, and playing ends at the end", async () => {
  const { page, context } = await viewer.open(`/traces/${trace.id}?view=replay&t=500`);
  await replayed(page).getByRole("heading", { name: "Everything for the pour" }).waitFor();
  await page.getByLabel("Speed").selectOption("0.5");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("slider", { name: "Playing position" }).fill("7000");
  await passed(page, 7000);
  await replayed(page).getByRole("heading", { name: "Checkout" }).waitFor();
  await page.getByLabel("Speed").selectOption("16");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  const end = Number(await page.getByRole("slider", { name: "Playing position" }).getAttribute("max"));
  await eventually(async () => expect(await playhead(page)).toBe(end));
  await context.close();
});

test("spans in which nothing happens are shown and skipped, unless they are wanted", async () => {
  const { page, context } = await viewer.open(`/traces/${trace.id}?view=replay&t=500`);
  await replayed(page).getByRole("heading", { name: "Everything for the pour" }).waitFor();
  const idle = page.locator(".rail-idle");
  await idle.first().waitFor();
  const rail = page.getByRole("slider", { name: "Playing position" });
  const length = Number(await rail.getAttribute("max"));
  const [from, width] = await idle
    .first()
    .evaluate((element) => [element.style.left, element.style.width].map((text) => Number.parseFloat(text)));
  const [begin, end] = [(length * from!) / 100, (length * (from! + width!)) / 100];
  expect(end - begin).toBeGreaterThan(2000);
  // Half a second into the span, at half the usual speed: only a leap gets behind it.
  await page.getByLabel("Speed").selectOption("0.5");
  await rail.fill(String(Math.round(begin + 500)));
  // The furthest that the playhead went from one look to the next, beyond what the time between them is good for.
  await page.evaluate(() => {
    const scope = window as unknown as { __leap: number };
    scope.__leap = 0;
    const place = () => Number(document.querySelector<HTMLInputElement>(".rail input")?.value);
    let [at, moment] = [place(), performance.now()];
    setInterval(() => {
      const [nowAt, now] = [place(), performance.now()];
      scope.__leap = Math.max(scope.__leap, nowAt - at - (now - moment));
      [at, moment] = [nowAt, now];
    }, 10);
  });
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await passed(page, end - 300);
  const leap = () => page.evaluate(() => (window as unknown as { __leap: number }).__leap);
  await eventually(async () => expect(await leap()).toBeGreaterThan((end - begin) / 4));
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Skip idle" }).click();
  await eventually(async () => expect(await idle.count()).toBe(0));
  await context.close();
});

test("the address opens a form and a moment again, and v goes round the forms that there are", async () => {
  const { page, context } = await viewer.open(`/traces/${trace.id}?view=page&step=step-7&moment=before`);
  await page.getByTitle("The page, as it was").contentFrame().getByLabel("Email").waitFor();
  const shown = page.getByRole("group", { name: "Shown of the page" });
  const pressed = () => shown.locator('[aria-pressed="true"]').innerText();
  await eventually(async () => expect(await pressed()).toBe("Page"));
  await eventually(async () =>
    expect(await page.getByRole("button", { name: "Before", exact: true }).getAttribute("aria-pressed")).toBe(
      "true",
    ),
  );
  for (const next of ["Screenshot", "Replay", "Video", "Page", "Screenshot"]) {
    await page.keyboard.press("v");
    await shown.getByRole("button", { name: next, pressed: true }).waitFor();
  }
  await page.waitForURL(/view=screenshot/);
  // A trace opened without a word on it is shown as the last one was.
  await page.keyboard.press("v");
  await page.goto(`${viewer.base}/traces/${trace.id}`);
  await shown.getByRole("button", { name: "Replay", pressed: true }).waitFor();
  await context.close();
});

test("the screenshot lies over another form of the same instant, as much as wanted", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${trace.id}?view=screenshot`);
  await page.getByRole("img", { name: /^The page, Screenshot at/ }).waitFor();
  await page.keyboard.press("o");
  const over = page.getByRole("img", { name: /laid over the page/ });
  await over.waitFor();
  const frame = page.getByTitle("The page, as it was");
  await frame.contentFrame().getByText("We could not place your order.").waitFor();
  await eventually(async () => {
    const boxes = await Promise.all([over.boundingBox(), frame.boundingBox()]);
    for (const side of ["x", "y", "width", "height"] as const)
      expect(Math.abs(boxes[0]![side] - boxes[1]![side])).toBeLessThan(1.5);
  });
  await page.getByRole("slider", { name: "Opacity of the screenshot" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await eventually(async () => expect(await over.evaluate((element) => element.style.opacity)).toBe("0.6"));
  await picture(page, "trace-overlay");
  await page.getByRole("button", { name: "Overlay" }).click();
  await over.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await context.close();
});

test("where the pointer acted is marked on page and screenshot, at that moment only", async () => {
  const { page, context } = await viewer.open(`/traces/${trace.id}?view=page&step=step-7`);
  const point = page.getByRole("img", { name: /^The pointer acted here, at \d+, \d+$/ });
  await point.waitFor();
  const frame = page.getByTitle("The page, as it was");
  const button = frame.contentFrame().getByRole("button", { name: "Pay now" });
  await eventually(async () => {
    const { left, right, top, bottom } = await button.evaluate((element) =>
      element.getBoundingClientRect().toJSON(),
    );
    const [mark, room] = [(await point.boundingBox())!, (await frame.boundingBox())!];
    // Within the frame, in the page's own pixels.
    const scale = room.width / 960;
    const [x, y] = [(mark.x + mark.width / 2 - room.x) / scale, (mark.y + mark.height / 2 - room.y) / scale];
    expect(x > left && x < right).toBe(true);
    expect(y > top && y < bottom).toBe(true);
  });
  await page.getByRole("button", { name: "Screenshot", exact: true }).click();
  await point.waitFor();
  await page.getByRole("button", { name: "After", exact: true }).click();
  await point.waitFor({ state: "detached" });
  await context.close();
});

test("the video shows the instant, and keeps to the clock while it plays", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${trace.id}?view=video&t=3000`);
  /** Waits until the video stands at an instant, and the playhead with it; without one, wherever the playhead is. */
  const at = (seconds: number | null) =>
    page.waitForFunction((wanted) => {
      const rail = Number(document.querySelector<HTMLInputElement>(".rail input")?.value) / 1000;
      const video = document.querySelector("video")?.currentTime ?? -9;
      return Math.abs(video - (wanted ?? rail)) < 0.05 && Math.abs(video - rail) < 0.05;
    }, seconds);
  await at(3);
  await page.getByRole("treeitem", { name: /cart-link/ }).click();
  await page.waitForURL((url) => url.searchParams.get("t") !== "3000");
  await at(null);
  await page.getByRole("slider", { name: "Playing position" }).fill("5500");
  await at(5.5);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await passed(page, 6500);
  await page.waitForFunction(() => {
    const rail = document.querySelector<HTMLInputElement>(".rail input");
    return Math.abs(Number(rail?.value) / 1000 - (document.querySelector("video")?.currentTime ?? -9)) < 0.5;
  });
  await page.getByRole("button", { name: "Pause" }).click();
  await at(null);
  await picture(page, "trace-video");
  expect(complaints).toEqual([]);
  await context.close();
});

test("the replay of a shared trace opens without signing in, on a narrow screen too", async () => {
  await post(viewer.app, `/v1/traces/${trace.id}/share`, { visibility: "public-read", expires_days: 1 });
  const { page, context, complaints } = await viewer.open(`/r/${trace.shortId}?view=replay`, {
    isSignedIn: false,
    size: PHONE,
  });
  await replayed(page).getByText("We could not place your order.").waitFor();
  await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth);
  await picture(page, "trace-replay-narrow");
  expect(complaints).toEqual([]);
  await context.close();
});
