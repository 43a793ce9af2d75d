import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";
import { pageTime } from "../../../../server/run/browsers/page-time.ts";

setDefaultTimeout(60_000);

let owned: OwnedBrowser;
/** Every page of it but the last sends on to the next. */
const LAST = 15;
const restless = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    const next = Number(new URL(url).pathname.slice(1)) + 1;
    const script = next <= LAST ? `<script>setTimeout(() => location.replace("/${next}"))</script>` : "";
    return new Response(`<title>${next}</title>${script}`, { headers: { "content-type": "text/html" } });
  },
});
beforeAll(async () => {
  owned = await launchBrowser({ executable: null });
});
afterAll(async () => {
  await owned.close();
  await restless.stop(true);
});

test("the clock of a page is read though the page is left meanwhile, and is the page's own", async () => {
  const page = await owned.browser.newPage();
  await page.clock.install({ time: Date.parse("2020-02-02T02:02:02Z") });
  await page.goto(`${restless.url}0`, { waitUntil: "commit" });
  const times: number[] = [];
  while (!page.url().endsWith(`/${LAST}`)) times.push(await pageTime(page));
  times.push(await pageTime(page));
  expect(new Set(times.map((time) => new Date(time).getUTCFullYear()))).toEqual(new Set([2020]));
  await page.close();
  await expect(pageTime(page)).rejects.toThrow("closed");
});
