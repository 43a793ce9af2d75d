import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { closeBrowser } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let failing: { id: string };

beforeAll(async () => {
  viewer = await viewerApp();
  failing = await viewer.ingest("v10-failing");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const tab = (page: Page, name: RegExp) => page.getByRole("tab", { name, selected: true });
const entries = (page: Page) => page.evaluate(() => history.length);

test("back leads through tabs, an opened request and jumps, and moving along is no entry of its own", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await tab(page, /^Error/).waitFor();
  const first = await entries(page);
  await page.getByRole("tab", { name: /^Network/ }).click();
  await page.getByRole("button", { name: /^\/api\/checkout/ }).click();
  await page.waitForURL(/event=\d+/);
  expect(await entries(page)).toBe(first + 2);
  const checkout = page.url();
  // Another request takes the place of the first.
  await page
    .getByRole("button", { name: /^\/api\/cart/ })
    .first()
    .click();
  await page.waitForURL((url) => url.href !== checkout);
  expect(await entries(page)).toBe(first + 2);
  // Steps moved along, then a jump: back leads to where the moves led.
  for (let moves = 0; moves < 3; moves++) {
    const before = page.url();
    await page.keyboard.press("k");
    await page.waitForURL((url) => url.href !== before);
  }
  const moved = page.url();
  const step = await page.getByRole("treeitem", { selected: true }).innerText();
  await page.keyboard.press("]");
  await page.waitForURL((url) => url.href !== moved);
  expect(await entries(page)).toBe(first + 3);
  await page.goBack();
  expect(page.url()).toBe(moved);
  await page
    .getByRole("treeitem", { selected: true })
    .filter({ hasText: step.split("\n")[0]! })
    .waitFor();
  await page.goBack();
  expect(page.url()).not.toContain("event=");
  await tab(page, /^Network/).waitFor();
  await page.goBack();
  await tab(page, /^Error/).waitFor();
  await page.goForward();
  await tab(page, /^Network/).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("closing what was opened goes back to before it, so that back does not open it again", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await tab(page, /^Error/).waitFor();
  await page.getByRole("tab", { name: /^Network/ }).click();
  await page.getByRole("button", { name: /^\/api\/checkout/ }).click();
  await page.waitForURL(/event=\d+/);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.searchParams.has("event"));
  await page.goBack();
  await tab(page, /^Error/).waitFor();
  // Along the tab bar each tab takes the place of the one before.
  const before = await entries(page);
  await page.getByRole("tab", { name: /^Network/ }).click();
  await page.waitForURL(/tab=network/);
  const after = await entries(page);
  await page.keyboard.press("ArrowRight");
  await tab(page, /^Console/).waitFor();
  await page.waitForURL(/tab=console/);
  expect(await entries(page)).toBe(after);
  expect(after).toBeLessThanOrEqual(before + 1);
  await page.goBack();
  await tab(page, /^Error/).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("while a slider has the focus, space plays, < and > set the speed, and arrows stay with the slider", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  const slider = page.getByRole("slider", { name: "Playing position" });
  const speed = page.getByRole("combobox", { name: "Speed" });
  // Until the viewer's scripts are there, a slider of the first screen does not move.
  await eventually(async () => {
    await slider.focus();
    await page.keyboard.press("Home");
    expect(await slider.inputValue()).toBe("0");
  });
  await page.keyboard.press("ArrowRight");
  await eventually(async () => expect(Number(await slider.inputValue())).toBeGreaterThan(0));
  await page.keyboard.press("<");
  await eventually(async () => expect(await speed.inputValue()).toBe("0.5"));
  await page.keyboard.press(">");
  await eventually(async () => expect(await speed.inputValue()).toBe("1"));
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
