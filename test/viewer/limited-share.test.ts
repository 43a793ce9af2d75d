import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeBrowser } from "../helpers/browser.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const viewers: ViewerApp[] = [];

afterAll(async () => {
  await closeBrowser();
  for (const viewer of viewers) await viewer.close();
});

/** A server that takes so many reads of shares a minute, and a trace with pictures that it shares. */
async function shared(perMinute: number): Promise<{ viewer: ViewerApp; shortId: string }> {
  const viewer = await viewerApp({
    settings: { rate_limits: { anonymous: { shares_per_minute: perMinute } } },
  });
  viewers.push(viewer);
  const { id, shortId } = await viewer.ingest("v10-failing");
  await post(viewer.app, `/v1/traces/${id}/share`, { visibility: "public-read" });
  return { viewer, shortId };
}

test("a shared page waits when the server takes no more requests, and then shows every picture", async () => {
  const { viewer, shortId } = await shared(60);
  // What another reader at the same address has used up: enough is left for the page, not for its pictures.
  for (let left = 60; left > 6; left--) await fetch(`${viewer.base}/r/${shortId}/trace`);
  const { page, context } = await viewer.open("/signin", { isSignedIn: false });
  const refused = page.waitForResponse((response) => response.status() === 429);
  await page.goto(`${viewer.base}/r/${shortId}`);
  expect((await refused).headers()["retry-after"]).toBe("1");
  viewer.app.clock.advance(60_000);
  const pictures = page.locator(".film-slot img");
  await eventually(async () => {
    const widths = await pictures.evaluateAll((images) =>
      images.map(
        (image) =>
          (image as HTMLImageElement).checkVisibility({ visibilityProperty: true }) &&
          (image as HTMLImageElement).naturalWidth,
      ),
    );
    expect(widths.length).toBeGreaterThan(2);
    expect(widths.every((width) => width !== false && width > 0)).toBe(true);
  });
  await page.getByRole("treeitem", { selected: true }).waitFor();
  expect(await page.getByText("Too many").count()).toBe(0);
  await context.close();
});

test("a shared page that would wait for longer than a minute says what the server said", async () => {
  const { viewer, shortId } = await shared(1);
  const { page, context } = await viewer.open("/signin", { isSignedIn: false });
  await page.goto(`${viewer.base}/r/${shortId}`);
  // The first screen came with the page itself.
  await page.getByRole("tab", { name: /^Console/ }).click();
  await page.getByText("Too many").first().waitFor({ timeout: 30_000 });
  await context.close();
});
