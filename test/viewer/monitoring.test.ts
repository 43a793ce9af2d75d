import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { followRun } from "../../server/watch/incidents/follow-run.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";
import { endRuns, rowsOf, scenarioText, syncScenarios, watched } from "../helpers/watch.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;

beforeAll(async () => {
  viewer = await viewerApp({ settings: { rate_limits: { reads_per_minute: 100_000 } } });
  const { app } = viewer;
  await syncScenarios(app, { checkout: scenarioText("checkout"), search: scenarioText("search") });
  const regions = ["us-east-1", "eu-west-1", "ap-south-1"];
  const checkout = await watched(app, "checkout", {
    regions: regions.slice(0, 2),
    alert_policy: { retries: 0 },
  });
  const search = await watched(app, "search", { regions });
  for (const minutes of [5, 5, 20, 5, 5]) {
    app.clock.advance(minutes * 60_000);
    await app.tick();
    await endRuns(app, search);
    await endRuns(app, checkout, minutes === 20 ? "passed" : "failed");
    const rows = [...(await rowsOf(app, search)), ...(await rowsOf(app, checkout))];
    const surroundings = { quietUntil: async () => null, retry: async () => {} };
    for (const run of rows)
      if (run.ended_at === app.clock.now()) await followRun(app.deps, surroundings, run.id);
  }
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("the grid shows each region by sign and word, and leads to its incident", async () => {
  for (const [name, options] of [
    ["grid-light", {}],
    ["grid-dark", { theme: "dark" }],
    ["grid-phone", { size: PHONE }],
  ] as const) {
    const { page, context, complaints } = await viewer.open("/monitoring", {
      now: viewer.app.clock.now(),
      ...options,
    });
    const checkout = page.getByRole("list", { name: "checkout" });
    await checkout.getByRole("link", { name: /Failing in us-east-1: its incident/ }).waitFor();
    const strip = checkout.getByRole("img").first();
    expect(await strip.getAttribute("aria-label")).toBe("Last 6 fires: 1 passing, 4 failing, 1 no data");
    expect(await page.getByRole("list", { name: "search" }).innerText()).toContain("p99");
    expect(await overflow(page)).toBe(0);
    await picture(page, name);
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    if (name === "grid-light") {
      await checkout.getByRole("link").first().click();
      await page.waitForURL(/\/incidents\/[0-9a-f-]{36}$/);
    }
    await context.close();
  }
});

test("the public status is a page without scripts and without a sign-in", async () => {
  for (const [name, options] of [
    ["status-light", {}],
    ["status-dark", { theme: "dark" }],
    ["status-phone", { size: PHONE }],
  ] as const) {
    const { page, context, complaints } = await viewer.open("/status", { isSignedIn: false, ...options });
    expect(await page.getByRole("heading", { name: "checkout: failing in eu-west-1" }).count()).toBe(1);
    expect(await page.getByRole("main").innerText()).toContain("Partial system outage");
    expect(await page.locator("script").count()).toBe(0);
    expect(await overflow(page)).toBe(0);
    await picture(page, name);
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  }
});
