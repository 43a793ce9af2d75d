import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { causeOfArchive } from "../../helpers/archive-cause.ts";
import { closeBrowser, openBrowser } from "../../helpers/browser.ts";

setDefaultTimeout(60_000);

let root: string;
let shop: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
  shop = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.endsWith("/api/basket")
        ? Response.json({ items: 1 })
        : new Response(`<script>fetch("/api/basket").then(() => (document.title = "Basket"))</script>`, {
            headers: { "content-type": "text/html" },
          }),
  });
});
afterAll(async () => {
  await closeBrowser();
  await shop.stop(true);
  rmSync(root, { recursive: true, force: true });
});

async function recorded(sources: boolean): Promise<string> {
  const context = await (await openBrowser()).newContext();
  const path = join(root, `${sources}.zip`);
  await context.tracing.start({ snapshots: true, sources });
  const tab = await context.newPage();
  await tab.goto(shop.url.href);
  await tab.waitForFunction(() => document.title === "Basket");
  await tab
    .waitForResponse((response) => response.url().endsWith("/api/basket"), { timeout: 300 })
    .catch(() => {});
  await context.tracing.stop({ path });
  await context.close();
  return path;
}

test("of a recorded archive the test's own lines are read: what it waits for had come before", async () => {
  expect((await causeOfArchive(root, await recorded(true))).cause.headline).toMatch(
    /^The response that the test waits for had come \d+ ms before it began to wait: GET \/api\/basket, answered with 200$/,
  );
  expect((await causeOfArchive(root, await recorded(false))).cause.headline).toBe(
    "The response that the test waits for never came",
  );
});
