import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let free = 400e9;

beforeAll(async () => {
  viewer = await viewerApp({ disk: () => ({ free, size: 500e9, device: 1 }) });
  await viewer.ingest("v10-failing", { source: "pr" });
  viewer.app.clock.advance(86_400_000);
  await viewer.ingest("v10-passing");
  await viewer.ingest("v10-two-pages");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("the page tells what is kept, by what, and removes and pins from the largest down", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByRole("link", { name: "Storage" }).click();
  await page.waitForURL(/\/storage$/);
  const largest = page.getByRole("table", { name: "Largest traces" });
  await largest.getByRole("link").nth(2).waitFor();
  await eventually(async () => {
    const text = await page.getByRole("main").innerText();
    for (const word of ["free of 500 GB", "Playwright archives", "two-pages", "to warm", "others stay"])
      expect(text).toContain(word);
  });
  await picture(page, "storage-light");
  expect(await findings(page)).toEqual([]);
  const row = largest.getByRole("row", { name: /^passing/ });
  await row.getByRole("button", { name: /^Pin / }).click();
  await row.getByRole("button", { name: /^Pinned: / }).waitFor();
  await eventually(async () =>
    expect(await row.getByRole("button", { name: "Remove passing" }).isDisabled()).toBe(true),
  );
  await row.getByRole("button", { name: /^Pinned: / }).click();
  await row.getByRole("button", { name: /^Pin / }).waitFor();
  await row.getByRole("button", { name: "Remove passing" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove this trace?" });
  await eventually(async () => expect(await dialog.innerText()).toContain("cannot be brought back"));
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await row.waitFor({ state: "detached" });
  await eventually(async () => expect(await largest.getByRole("link").count()).toBe(2));
  await page.getByRole("link", { name: "Hot" }).click();
  await page.waitForURL(/\/traces\?tier=hot/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a disk that gets short is told on the list, in time and in words, and the page is one click away", async () => {
  free = 10e9;
  const { page, context, complaints } = await viewer.open("/traces", { theme: "dark" });
  const banner = page.getByRole("status").filter({ hasText: "The disk gets short" });
  await banner.waitFor();
  await eventually(async () => expect(await banner.innerText()).toContain("10.0 GB of 500 GB are free"));
  await picture(page, "storage-banner-dark");
  expect(await findings(page)).toEqual([]);
  free = 100e6;
  await banner.getByRole("link", { name: "See what can go" }).click();
  await page.getByRole("status").filter({ hasText: "nearly full" }).waitFor();
  await page.getByRole("table", { name: "Largest traces" }).waitFor();
  await picture(page, "storage-dark");
  expect(await findings(page)).toEqual([]);
  free = 400e9;
  await page.goto(`${viewer.base}/traces`);
  await page.getByRole("row").nth(1).waitFor();
  await page.waitForFunction(() => !document.querySelector(".disk-banner"));
  expect(complaints).toEqual([]);
  await context.close();
});

test("it fits a phone", async () => {
  const { page, context, complaints } = await viewer.open("/storage", { size: PHONE, isPhone: true });
  await page.getByRole("table", { name: "Largest traces" }).waitFor();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  await picture(page, "storage-phone");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
