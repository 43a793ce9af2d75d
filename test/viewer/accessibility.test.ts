import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createTestClock } from "../helpers/app.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let failing: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp({ clock: createTestClock(Date.now()) });
  await viewer.ingest("v10-passing", { source: "schedule" });
  await viewer.ingest("v10-flaky-timeout", { source: "pr" });
  failing = await viewer.ingest("v10-runner-failing", { commit_sha: "4d07b3f1c2" });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on the list, the trace page with each panel, and the dialogs, ${theme}`, async () => {
    const { page, context, complaints } = await viewer.open("/traces", { theme });
    await page.getByRole("row").nth(3).waitFor();
    await page.keyboard.press("j");
    expect(await findings(page)).toEqual([]);
    await picture(page, `list-${theme}`);
    await page.goto(`${viewer.base}/traces/${failing.id}`);
    await page.getByRole("img", { name: /^The page/ }).waitFor();
    await picture(page, `trace-${theme}`);
    for (let tab = 1; tab <= 7; tab++) {
      await page.keyboard.press(String(tab));
      await page.waitForLoadState("networkidle");
      if (tab === 2) await page.getByRole("button", { name: /^\/api\/checkout/ }).click();
      if (tab === 3) await page.locator(".console-row .row-link").first().click();
      await page.waitForLoadState("networkidle");
      expect(await findings(page)).toEqual([]);
    }
    await page.getByRole("button", { name: "Share" }).click();
    const share = page.getByRole("dialog");
    await share.waitFor();
    expect(await findings(page)).toEqual([]);
    await share.getByRole("button", { name: "Close" }).last().click();
    await share.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
}

test("axe finds nothing on a phone and on the sign-in page", async () => {
  const phone = await viewer.open(`/traces/${failing.id}`, { size: PHONE, isPhone: true, theme: "dark" });
  await phone.page.getByRole("img", { name: /^The page/ }).waitFor();
  expect(await findings(phone.page)).toEqual([]);
  await phone.context.close();
  const signin = await viewer.open("/signin?code=expired", { isSignedIn: false });
  await signin.page.getByRole("alert").waitFor();
  expect(await findings(signin.page)).toEqual([]);
  await signin.context.close();
});

test("everything on the trace page is reached with Tab, in the order it is seen, and shows that it is", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}`);
  // Until the viewer takes over, nothing of the first screen can have the focus.
  await page.locator("#app:not([inert])").waitFor();
  await page.getByRole("img", { name: /^The page/ }).waitFor();
  const seen: string[] = [];
  for (let press = 0; press < 40; press++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const { outlineStyle } = getComputedStyle(element);
      const after = getComputedStyle(element, "::after").outlineStyle;
      const ring = element.closest(".toolbar, .search");
      const isShown =
        outlineStyle !== "none" ||
        after !== "none" ||
        (ring ? getComputedStyle(ring).boxShadow !== "none" : false);
      const name = element.getAttribute("aria-label") ?? element.textContent ?? "";
      return { name: name.trim().slice(0, 40), isShown };
    });
    if (!at) break;
    expect(at).toEqual({ name: at.name, isShown: true });
    seen.push(at.name);
  }
  const order = [
    "All traces",
    "Share",
    "Position in the trace",
    "Filter steps",
    "Steps",
    "Previous step",
    "Error",
  ];
  const positions = order.map((name) => seen.findIndex((one) => one.startsWith(name)));
  expect(positions.every((position) => position >= 0)).toBe(true);
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
  await context.close();
});

test("axe finds nothing on a trace page that shows the recorded page, dark", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`, { theme: "dark" });
  await page.getByRole("button", { name: "Page", exact: true }).click();
  await page
    .getByTitle("The page, after")
    .contentFrame()
    .getByText("We could not place your order.")
    .waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "trace-page-dark");
  expect(complaints).toEqual([]);
  await context.close();
});

test("where there is nothing the page still has a name, and axe finds nothing", async () => {
  const nobody = "019ca945-0a00-73a2-95d3-2cd8510840c0";
  const { page, context } = await viewer.open("/compare");
  for (const path of [`/traces/${nobody}`, "/scenarios/nobody", "/compare"]) {
    await page.goto(viewer.base + path);
    await page.locator(".message-title, .not-found-ways").waitFor();
    await eventually(async () => expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1));
    expect(await findings(page)).toEqual([]);
  }
  await context.close();
});

test("every row and button has a name of its own, whatever page it is on", async () => {
  const { page, context } = await viewer.open("/failures");
  for (const path of ["/failures", "/scenarios", "/scenarios/runner-failing", "/storage"]) {
    await page.goto(viewer.base + path);
    await page.locator("main a[href^='/traces/'], main a[href^='/scenarios/']").first().waitFor();
    expect(await findings(page)).toEqual([]);
    const names = await page.locator("main").ariaSnapshot();
    expect(names).not.toMatch(/- (?:link|button) "(?:Pin|Pinned|now|\d+ (?:min|h|d))"/);
    expect(names).not.toMatch(/- (?:link|button)(?:$| \[|:$)/m);
  }
  await context.close();
});
