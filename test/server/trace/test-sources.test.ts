import { afterAll, beforeAll, expect, test } from "bun:test";
import { recordedArchives } from "../../helpers/recorded-archives.ts";

const { record, causeOf } = recordedArchives();

let shop: ReturnType<typeof Bun.serve>;
beforeAll(() => {
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
  await shop.stop(true);
});

const recorded = (sources: boolean) =>
  record(
    async (tab) => {
      await tab.goto(shop.url.href);
      await tab.waitForFunction(() => document.title === "Basket");
      await tab
        .waitForResponse((response) => response.url().endsWith("/api/basket"), { timeout: 300 })
        .catch(() => {});
    },
    { sources },
  );

test("of a recorded archive the test's own lines are read: what it waits for had come before", async () => {
  expect((await causeOf(await recorded(true))).cause.headline).toMatch(
    /^The response that the test waits for had come \d+ ms before it began to wait: GET \/api\/basket, answered with 200$/,
  );
  expect((await causeOf(await recorded(false))).cause.headline).toBe(
    "The response that the test waits for never came",
  );
});
