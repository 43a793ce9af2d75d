import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createTestClock } from "../helpers/app.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, DESKTOP, openBrowser, PHONE } from "../helpers/browser.ts";
import { docsOf } from "../helpers/docs.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let paths: string[];

beforeAll(async () => {
  viewer = await viewerApp({ clock: createTestClock(Date.now()) });
  paths = (await docsOf(viewer.app).all()).map(({ path }) => path);
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const open = (path: string, options: Parameters<ViewerApp["open"]>[1] = {}) =>
  viewer.open(path, { isSignedIn: false, ...options });

describe("the documentation", () => {
  for (const javaScriptEnabled of [false, true])
    test(`asks nothing of any other machine, and needs no sign-in, ${javaScriptEnabled ? "with" : "without"} its script`, async () => {
      const context = await (await openBrowser()).newContext({ javaScriptEnabled, viewport: DESKTOP });
      const outside: string[] = [];
      context.on("request", (request) => {
        if (new URL(request.url()).origin !== viewer.base) outside.push(request.url());
      });
      const page = await context.newPage();
      expect(paths.length).toBeGreaterThan(50);
      // The script is the same on all of them.
      for (const path of javaScriptEnabled ? ["/docs/start", "/docs/pages", "/docs/api/traces"] : paths) {
        const answer = await page.goto(viewer.base + path);
        expect([path, answer?.status()]).toEqual([path, 200]);
        if (javaScriptEnabled) await page.getByRole("combobox").waitFor();
      }
      expect(outside).toEqual([]);
      await context.close();
    });

  test("can be read before its script is there, at the heading that a link names", async () => {
    const context = await (await openBrowser()).newContext({ javaScriptEnabled: false, viewport: DESKTOP });
    const page = await context.newPage();
    await page.goto(`${viewer.base}/docs/settings#plans`);
    const heading = page.getByRole("heading", { name: "Plans" });
    expect((await heading.boundingBox())?.y).toBeLessThan(DESKTOP.height);
    await page.getByRole("link", { name: "Error codes", exact: true }).first().click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Error codes");
    await context.close();
  });

  test("is searched by keyboard alone, in the page: what matched is shown by topic, and Enter leads to the heading", async () => {
    const { page, context, complaints } = await open("/docs");
    await page.getByRole("combobox").waitFor();
    await page.waitForLoadState("networkidle");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.keyboard.press("/");
    await page.keyboard.type("hot days");
    const group = page.getByRole("group", { name: "Settings", exact: true });
    expect(await group.getByRole("option").first().textContent()).toContain("retention.hot_days");
    expect(await group.locator("mark").first().textContent()).toMatch(/hot|days/i);
    expect(asked).toEqual([]);
    expect(await findings(page)).toEqual([]);
    await picture(page, "docs-search");
    const chosen = group.getByRole("option", { selected: true }).filter({ hasText: /^Plans/ });
    for (let n = 0; n < 20 && (await chosen.count()) === 0; n++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/settings#plans");
    await page.waitForFunction(() => document.activeElement?.id === "plans");
    await page.goBack();
    await page.getByRole("heading", { name: "Start", level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("says so when nothing has the words", async () => {
    const { page, context } = await open("/docs");
    await page.getByRole("combobox").fill("zzqx");
    await page.getByText("Nothing in the documentation has these words.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Nothing in the documentation has these words.").waitFor({ state: "detached" });
    await context.close();
  });

  for (const [theme, isPhone] of [
    ["light", false],
    ["dark", false],
    ["dark", true],
  ] as const)
    test(`axe finds nothing, ${theme}${isPhone ? ", on a phone" : ""}`, async () => {
      const size = isPhone ? PHONE : DESKTOP;
      const { page, context, complaints } = await open("/docs", { theme, size, isPhone });
      for (const path of theme === "light" ? ["/docs/pages", "/docs/api/share"] : ["/docs/settings"]) {
        await page.goto(viewer.base + path);
        await page.getByRole("combobox").waitFor();
        expect([path, await findings(page)]).toEqual([path, []]);
        await picture(page, `docs${path.slice(5).replaceAll("/", "-")}-${theme}${isPhone ? "-phone" : ""}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([path, overflow]).toEqual([path, 0]);
        // On a phone the rows of a table are blocks: nothing is read by scrolling sideways.
        const tables = page.locator(".docs-table");
        const sideways = await tables.evaluateAll(
          (all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
        );
        if (isPhone)
          expect({ count: (await tables.count()) > 0, sideways }).toEqual({ count: true, sideways: 0 });
      }
      expect(complaints).toEqual([]);
      await context.close();
    });

  test("a click leads to another topic without loading the page anew, and a code block is copied as it is", async () => {
    const { page, context, complaints } = await open("/docs/start");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("combobox").waitFor();
    await page.evaluate(() => Object.assign(window, { isSame: true }));
    await page.getByRole("link", { name: "Share a failure", exact: true }).first().click();
    await page.getByRole("heading", { name: "Share a failure", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Hand it over", exact: true }).click();
    await page.waitForURL("**/docs/share#hand-it-over");
    await page.getByRole("link", { name: "Automate it: command line and API" }).first().click();
    await page.getByRole("heading", { name: "Automate it: command line and API" }).waitFor();
    expect(await page.evaluate(() => "isSame" in window)).toBe(true);
    const block = page.locator(".docs-code").first();
    await block.hover();
    await block.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Code copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      "tracedeck keys create --name ci --scopes traces:write",
    );
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("is printed whole, and only the text of it", async () => {
    const { page, context } = await open("/docs/errors");
    await page.getByRole("combobox").waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation").filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole("combobox").filter({ visible: true }).count()).toBe(0);
    const whole = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
    expect(whole).toBeGreaterThan(4);
    await context.close();
  });

  test("a page that is not there says so, with the status", async () => {
    const { page, context } = await open("/docs/nothing-here");
    await page.getByRole("heading", { name: "The documentation has no page “nothing-here”." }).waitFor();
    await page.getByRole("link", { name: "All topics" }).click();
    await page.getByRole("heading", { name: "Start", level: 1 }).waitFor();
    expect((await viewer.app.api("/docs/nothing-here")).status).toBe(404);
    await context.close();
  });
});

test("empty lists and errors of the viewer lead to the place that tells of them", async () => {
  const { page, context } = await viewer.open("/traces");
  const about = page.getByRole("link", { name: "About this in the docs" });
  for (const [path, place] of [
    ["/traces", "/docs/ci"],
    ["/failures", "/docs/find#failures-and-scenarios"],
    ["/test-runs", "/docs/playwright#see-a-whole-test-run"],
    ["/runs", "/docs/scenarios#check-run-and-load-them"],
    ["/scenarios", "/docs/scenarios#check-run-and-load-them"],
    ["/compare", "/docs/find#compare-two-runs"],
  ] as const) {
    await page.goto(viewer.base + path);
    await about.first().waitFor();
    expect([path, await about.first().getAttribute("href")]).toEqual([path, place]);
    expect([path, await findings(page)]).toEqual([path, []]);
  }
  await about.first().click();
  await page.waitForURL("**/docs/find#compare-two-runs");
  await page.waitForFunction(() => document.activeElement?.id === "compare-two-runs");
  await context.route("**/v1/failures*", (route) =>
    route.fulfill({ status: 503, json: { error: "unavailable", message: "The disk is full." } }),
  );
  await page.goto(`${viewer.base}/failures`);
  const meaning = page.getByRole("link", { name: "What this error means" });
  expect(await meaning.getAttribute("href")).toBe("/docs/errors#unavailable");
  await context.close();
});
