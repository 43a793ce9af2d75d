import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../server/platform/clock.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { createReceiver } from "../helpers/receiver.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(180_000);

let viewer: ViewerApp;
const receiver = createReceiver();

beforeAll(async () => {
  viewer = await viewerApp({
    // Runs go on while the page waits for them.
    clock: { ...systemClock, advance() {}, set() {} },
    settings: { notifications: { allow_private_addresses: true, retry_seconds: [] } },
  });
  await viewer.app.runtime.start();
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  await receiver.close();
});

/** How far what an open dialog holds sticks out of it on a phone. */
async function dialogOverflow(page: Page): Promise<number> {
  const size = page.viewportSize()!;
  await page.setViewportSize(PHONE);
  const dialog = page.getByRole("dialog");
  const over = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
  await page.setViewportSize(size);
  return over;
}

test("an empty store leads to the first watched page, each step in place, and then the way is gone", async () => {
  receiver.answer(
    "/shop",
    () => new Response("<h1>Fresh coffee</h1>", { headers: { "content-type": "text/html" } }),
  );
  const { page, context, complaints } = await viewer.open("/runs");
  // Every list that is empty because nothing is watched leads there.
  for (const path of ["runs", "scenarios", "checks", "monitoring", "incidents", ""]) {
    await page.goto(`${viewer.base}/${path}`);
    await page.getByRole("link", { name: "Watch your first page, in five minutes" }).waitFor();
  }
  const nav = page.getByRole("navigation", { name: "Pages" });
  await nav.getByRole("link", { name: "Get started 0/6" }).waitFor();
  await page.getByRole("link", { name: "Watch your first page, in five minutes" }).click();
  await page.getByLabel("Address of the page").waitFor();
  expect(await findings(page)).toEqual([]);

  // A scenario that is wrong at first: the text is not there.
  await page.getByLabel("Address of the page").fill(receiver.url("/shop"));
  await page.getByLabel("A text that visitors must see there").fill("Fresh tea");
  await page.getByRole("button", { name: "Write the scenario" }).click();
  await page.getByRole("button", { name: "Run it now" }).click();
  await page
    .getByRole("region", { name: "The run" })
    .getByText("Change its text in the first step")
    .waitFor();
  await picture(page, "start-failed-light");

  // It is put right, as it would be after leaving and coming back.
  await page.reload();
  await page.getByRole("button", { name: /Write a scenario/ }).click();
  const file = page.getByRole("region", { name: "The file" });
  const text = file.getByRole("textbox");
  await text.fill((await text.inputValue()).replace("go to", "go two"));
  await file.getByRole("button", { name: "Save the change" }).click();
  await page
    .getByRole("alert")
    .getByText(/scenario\.md:8:\d+: "to" was expected/)
    .waitFor();
  complaints.splice(0);
  await text.fill((await text.inputValue()).replace("go two", "go to").replace("Fresh tea", "Fresh coffee"));
  await file.getByRole("button", { name: "Save the change" }).click();
  await page.getByText("The scenario is changed.").waitFor();
  await page.getByRole("button", { name: /See it pass/ }).click();
  await page.getByRole("button", { name: "Run it again" }).click();

  await page.getByRole("button", { name: "Run the preflight" }).click();
  await page.getByRole("button", { name: "They are left out" }).click();
  await page.getByRole("button", { name: "Watch it" }).click();
  const watch = page.getByRole("dialog").getByRole("button", { name: "Watch", exact: true });
  await watch.waitFor();
  expect(await dialogOverflow(page)).toBe(0);
  await watch.click();
  await page.getByRole("button", { name: "Add a channel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("On call");
  await dialog.getByLabel("Address").fill(receiver.url("/hook"));
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByRole("button", { name: "Done" }).waitFor();
  expect(await dialogOverflow(page)).toBe(0);
  await dialog.getByRole("button", { name: "Done" }).click();
  receiver.answer("/hook", () => new Response("", { status: 500 }));
  await page.getByRole("button", { name: "Send a test: On call" }).click();
  await page.getByRole("alert").getByText("answered with 500").waitFor();
  expect(await findings(page)).toEqual([]);
  receiver.answer("/hook", () => new Response("ok"));
  await page.getByRole("button", { name: "Send a test: On call" }).click();

  await page.getByText("Your first page is watched.").waitFor();
  await picture(page, "start-done-light");
  await nav.getByRole("link", { name: /Get started/ }).waitFor({ state: "detached" });
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.goto(`${viewer.base}/traces`);
  await page.getByRole("table", { name: "Traces" }).waitFor();
  expect(await nav.getByRole("link", { name: /Get started/ }).count()).toBe(0);
  await context.close();
});

test("it fits a phone in the dark, and a step opens by keyboard", async () => {
  const { page, context, complaints } = await viewer.open("/start", {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  const head = page.getByRole("button", { name: /Leave its visits out/ });
  await head.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Somebody has said that they are left out").waitFor();
  expect(await head.getAttribute("aria-expanded")).toBe("true");
  await picture(page, "start-phone-dark");
  expect(await overflow(page)).toBe(0);
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
