import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let failing: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  failing = await viewer.ingest("v10-failing");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const NAME = /^The page, (before|action|after)$/;

test("the page of a step is shown before, during and after it, as text that can be selected", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await page.getByRole("button", { name: "Page", exact: true }).click();
  await page.getByRole("treeitem", { name: /Click.*Pay now/ }).click();
  const shown = page.locator('iframe[title="The page, action"]');
  const content = shown.contentFrame();
  await content.getByRole("button", { name: "Pay now" }).waitFor();
  await eventually(async () =>
    expect(await content.getByText("We could not place your order.").count()).toBe(0),
  );
  await eventually(async () =>
    expect(await content.getByLabel("Email").inputValue()).toBe("ada@example.com"),
  );
  await picture(page, "trace-page-action");
  await page.getByRole("button", { name: "After", exact: true }).click();
  const after = page.locator('iframe[title="The page, after"]').contentFrame();
  await after.getByText("We could not place your order.").waitFor();
  await picture(page, "trace-page-after");
  // The next step keeps the wanted moment.
  await page.keyboard.press("j");
  await after.getByText("We could not place your order.").waitFor();
  await page.keyboard.press("v");
  await page.getByRole("img", { name: /^The page, Screenshot at/ }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("the choice is kept, the frame holds no origin, and a page without one says so", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await page.getByRole("button", { name: "Page", exact: true }).waitFor();
  const frame = page.getByTitle(NAME);
  await page.keyboard.press("v");
  await frame.waitFor();
  await page.reload();
  await frame.waitFor();
  await eventually(async () => expect(await frame.getAttribute("sandbox")).toBe(""));
  const inner = frame.contentFrame().locator("body");
  await inner.waitFor();
  await eventually(async () => expect(await inner.evaluate(() => window.origin)).toBe("null"));
  // The page is opened by a step that tells too little to be shown.
  await page.getByRole("button", { name: /^\d+ hidden$/ }).click();
  await page.getByRole("treeitem", { name: /^Open a page/ }).click();
  await page.getByText("No page was recorded at this step.").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("the page of a shared trace opens without signing in, on a narrow screen too", async () => {
  await post(viewer.app, `/v1/traces/${failing.id}/share`, { visibility: "public-read", expires_days: 1 });
  const { page, context, complaints } = await viewer.open(`/r/${failing.shortId}`, { isSignedIn: false });
  await page.getByRole("button", { name: "Page", exact: true }).click();
  await page.getByTitle(NAME).contentFrame().getByText("We could not place your order.").waitFor();
  await picture(page, "trace-page-shared");
  await page.setViewportSize(PHONE);
  // The page lays itself out anew when it hears of its new size.
  await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth);
  await page.getByTitle(NAME).contentFrame().getByText("We could not place your order.").waitFor();
  await picture(page, "trace-page-narrow");
  expect(complaints).toEqual([]);
  await context.close();
});
