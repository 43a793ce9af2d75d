import { expect, test } from "bun:test";
import { launchBrowser } from "../../../../server/run/browsers/launch.ts";
import { pageWorldOf } from "../../../../server/run/capture/page-world.ts";

test("a page whose browser has died refuses in its answer, so that nothing asked beside it is left unheard", async () => {
  const { browser, kill } = await launchBrowser({ executable: null });
  const page = await browser.newPage();
  const world = pageWorldOf(page);
  expect(await world.evaluate("6 * 7")).toBe(42);
  const died = Promise.withResolvers<void>();
  browser.on("disconnected", () => died.resolve());
  kill();
  await died.promise;
  // What throws at once would not get as far as an answer.
  const answers = [world, pageWorldOf(page)].map(({ evaluate }) => evaluate("6 * 7"));
  const settled = await Promise.allSettled(answers);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
