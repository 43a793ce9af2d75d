import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, setVisible, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let trace: string;

beforeAll(async () => {
  viewer = await viewerApp();
  trace = (await viewer.ingest("v10-passing", { scenario_slug: "first" })).id;
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const streams = () => viewer.app.deps.hub.subscriberCount();

test("a page holds one connection for each stream, and none while its window is hidden", async () => {
  const before = streams();
  const { page, context, complaints } = await viewer.open("/signin");
  let answers = 0;
  page.on("requestfinished", (request) => void (request.url().includes("/v1/histories?") && answers++));
  await page.goto(`${viewer.base}/scenarios`);
  const rows = page.getByRole("table").getByRole("link");
  await rows.first().waitFor();
  await eventually(() => expect(streams()).toBe(before + 1));
  // Once when the page opens, and once when the stream has.
  await eventually(() => expect(answers).toBe(2));
  await setVisible(page, false);
  await eventually(() => expect(streams()).toBe(before));
  await viewer.ingest("v10-passing", { scenario_slug: "while-hidden" });
  expect(await page.getByRole("link", { name: "while-hidden" }).count()).toBe(0);
  await setVisible(page, true);
  await page.locator('a[href="/scenarios/while-hidden"]').first().waitFor();
  expect(streams()).toBe(before + 1);
  // The list of traces listens to the same stream, which the page that is left has let go.
  await page.goto(`${viewer.base}/traces`);
  await page.getByRole("img", { name: "Live" }).waitFor();
  await eventually(() => expect(streams()).toBe(before + 1));
  expect(complaints).toEqual([]);
  await context.close();
  await eventually(() => expect(streams()).toBe(before));
});

test("a stream that is refused is opened again as soon as the server takes it", async () => {
  const { page, context } = await viewer.open("/signin");
  let refusals = 0;
  await page.route("**/v1/traces/live", async (route) => {
    refusals += 1;
    if (refusals > 3) return route.continue();
    await route.fulfill({ status: 503, json: { error: "internal", message: "Not now." } });
  });
  await page.goto(`${viewer.base}/scenarios`);
  await page.locator('a[href="/scenarios/first"]').first().waitFor();
  await eventually(() => expect(refusals).toBeGreaterThan(3));
  await viewer.ingest("v10-passing", { scenario_slug: "after-refusals" });
  await page.locator('a[href="/scenarios/after-refusals"]').first().waitFor();
  await context.close();
});

test("a stream that is refused because the session has ended leads to the sign-in page", async () => {
  const { page, context } = await viewer.open("/scenarios");
  await page.locator('a[href="/scenarios/first"]').first().waitFor();
  await setVisible(page, false);
  await context.clearCookies();
  // Whatever else the page asks for is not what leads there.
  await page.route("**/v1/histories?**", (route) => route.abort());
  await page.route("**/v1/scenarios?**", (route) => route.abort());
  await setVisible(page, true);
  await page.waitForURL(/\/signin\?next=%2Fscenarios$/);
  await context.close();
});

test("ages move on while nothing else does", async () => {
  const { page, context } = await viewer.open("/signin");
  await page.clock.install({ time: viewer.app.clock.now() + 2 * 60_000 });
  await page.goto(`${viewer.base}/scenarios`);
  const row = page.getByRole("row").filter({ has: page.locator('a[href="/scenarios/first"]') });
  await row.getByText(/^2 min/).waitFor();
  await page.clock.fastForward(10 * 60_000);
  await row.getByText(/^12 min/).waitFor();
  const { id: other } = await viewer.ingest("v10-passing", { scenario_slug: "first" });
  // The recording is younger than what the server of the test takes for now.
  await page.clock.setSystemTime("2030-01-01T00:00:00Z");
  for (const [path, selector] of [
    [`/traces/${trace}`, ".trace-bar [data-since]"],
    [`/compare?a=${trace}&b=${other}`, ".compare-head-line span[title]"],
    ["/settings/tokens", ".token-facts"],
  ] as const) {
    await page.goto(viewer.base + path);
    const age = page.locator(selector).first();
    const before = await age.innerText();
    await page.clock.fastForward(800 * 86_400_000);
    await eventually(async () =>
      expect({ path, age: await age.innerText() }).not.toEqual({ path, age: before }),
    );
  }
  await context.close();
});

test("what cannot be asked for anew stays and is called old, until it can be", async () => {
  for (const [name, options] of [
    ["old-light", {}],
    ["old-phone-dark", { size: PHONE, theme: "dark" }],
  ] as const) {
    const { page, context } = await viewer.open("/scenarios/first", options);
    const facts = page.getByRole("main").getByText("Passed").first();
    await facts.waitFor();
    await page.route("**/v1/histories/first?**", (route) =>
      route.fulfill({ status: 503, json: { error: "internal", message: "The disk is away." } }),
    );
    await viewer.ingest("v10-passing", { scenario_slug: "first" });
    const strip = page.getByRole("status").filter({ hasText: /Shown as it was at .*: The disk is away\./ });
    await strip.waitFor();
    expect(await facts.isVisible()).toBe(true);
    expect(await overflow(page)).toBe(0);
    await picture(page, name);
    expect(await findings(page)).toEqual([]);
    await page.unroute("**/v1/histories/first?**");
    await strip.getByRole("button", { name: "Try again" }).click();
    await strip.waitFor({ state: "detached" });
    await context.clearCookies();
    await viewer.ingest("v10-passing", { scenario_slug: "first" });
    await page.waitForURL(/\/signin\?next=%2Fscenarios%2Ffirst/);
    await context.close();
  }
});
