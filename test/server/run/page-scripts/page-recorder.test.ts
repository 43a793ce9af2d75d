import { afterAll, beforeAll, beforeEach, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";
import { buildPageRecorder } from "../../../../server/run/page-scripts/build.ts";

setDefaultTimeout(60_000);

const BINDING = "taken";

let owned: OwnedBrowser;
let page: Page;

/** Resolves when the recording has the text. */
let comes: (text: string) => Promise<void>;
beforeAll(async () => {
  owned = await launchBrowser({ executable: null });
});
afterAll(() => owned.close());
beforeEach(async () => {
  for (const known of owned.browser.contexts()) await known.close();
  const context = await owned.browser.newContext();
  const waiting = new Map<string, () => void>();
  let recorded = "";
  comes = (text) => new Promise((resolve) => waiting.set(text, resolve));
  await context.exposeFunction(BINDING, (batch: string) => {
    recorded += batch;
    for (const [text, resolve] of waiting) if (recorded.includes(text)) resolve();
  });
  const script = await buildPageRecorder();
  await context.addInitScript({ content: script.replaceAll("__tracedeck_binding__", BINDING) });
  page = await context.newPage();
});

test("what is written into a blank page is recorded, and how it changes", async () => {
  const [written, changed] = [comes('"textContent":"Written"'), comes('"value":"Changed"')];
  await page.setContent("<p>Written</p>");
  await written;
  await page.evaluate(() => {
    document.querySelector("p")!.firstChild!.nodeValue = "Changed";
  });
  await changed;
});

test("what a script puts into a blank page is recorded", async () => {
  const [put, styled] = [comes('"textContent":"Put"'), comes('"background: red;"')];
  await page.evaluate(() => document.body.append("Put"));
  await put;
  await page.evaluate(() => document.body.setAttribute("style", "background: red;"));
  await styled;
});
