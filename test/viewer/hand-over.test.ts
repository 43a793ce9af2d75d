import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { inWords } from "../../server/trace/format/step-words.ts";
import type { Summary } from "../../server/trace/format/summary.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { getJson } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let failing: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  failing = await viewer.ingest("v10-runner-failing");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("the failure says in a paragraph what happened, and its prompt is one press away", async () => {
  const { narrative } = await getJson<Summary>(viewer.app, `/v1/traces/${failing.id}/summary`);
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const panel = page.getByRole("tabpanel", { name: /^Error/ });
  await panel.getByText(inWords(narrative!), { exact: true }).waitFor();
  await page.getByRole("button", { name: "Copy as prompt" }).click();
  await page.getByText("Prompt copied.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(
    (await (await viewer.app.api(`/v1/traces/${failing.id}/prompt.md`)).text()).replaceAll(
      "http://localhost/",
      `${viewer.base}/`,
    ),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("a request is copied as code with its headers and its stored body, and all of them come as a file", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?tab=network`);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/events\?from_seq=/, async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole("button", { name: /^\/api\/checkout/ }).click();
  // Whoever is quicker than the answer gets the whole request all the same.
  await page.getByRole("button", { name: "Copy the request" }).click();
  await page.getByRole("menuitem", { name: "Copy as cURL" }).click();
  release();
  await page.getByText("cURL copied.").waitFor();
  await eventually(async () =>
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("--data-raw"),
  );
  for (const [name, sign] of [
    ["cURL", '--data-raw \'{"email":"ada@example.com"'],
    ["fetch", 'body: "{\\"email\\":\\"ada@example.com\\"'],
    ["Playwright code", 'data: Buffer.from("{\\"email\\":\\"ada@example.com\\"'],
  ] as const) {
    await page.getByRole("button", { name: "Copy the request" }).click();
    await page.getByRole("menuitem", { name: `Copy as ${name}` }).click();
    await page.getByText(`${name} copied.`).waitFor();
    await eventually(async () =>
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(sign),
    );
  }
  const coming = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download as HAR" }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe(`trace-${failing.shortId}.har`);
  const har = JSON.parse(await Bun.file(await download.path()).text()) as { log: { entries: unknown[] } };
  await eventually(async () =>
    expect(har.log.entries).toHaveLength(await page.locator(".net-row:not(.table-head)").count()),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("on a phone the requests' bar stays on one line", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}?tab=network`, {
    size: PHONE,
    isPhone: true,
  });
  await page.getByRole("button", { name: /^Network/ }).click();
  const bar = page.getByRole("link", { name: "Download as HAR" });
  await bar.waitFor();
  const counted = page.getByText(/^\d+ of \d+$/);
  const [count, link] = [await counted.boundingBox(), await bar.boundingBox()];
  expect(count!.height).toBeLessThan(24);
  expect(link!.x + link!.width).toBeLessThanOrEqual(390);
  await eventually(async () => expect(await overflow(page)).toBe(0));
  await picture(page, "trace-network-phone");
  await context.close();
});

test("an open menu has the focus before it can be seen, so that no key meant for it goes elsewhere", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}`);
  // Until the viewer takes over, the button of the first screen does nothing.
  await page.locator("#app:not([inert])").waitFor();
  const focused = await page
    .getByRole("button", { name: "Hand over" })
    .evaluate(async (button: HTMLElement) => {
      button.click();
      // Nothing is painted before these have run.
      for (let turn = 0; turn < 50; turn += 1) await null;
      return document.activeElement?.getAttribute("role");
    });
  expect(focused).toBe("menuitem");
  await context.close();
});
