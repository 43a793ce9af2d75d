import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { IncidentItem } from "../../server/watch/incidents/model.ts";
import { closeBrowser } from "../helpers/browser.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";
import { rowsOf, scenarioText, send, syncScenarios, watched } from "../helpers/watch.ts";

setDefaultTimeout(180_000);

const GOOD = "aaaaaaa1c0de9a3b74c55e8d1f6a7b8c9d0e1f2a";
const BAD = "bbbbbbb2c0de9a3b74c55e8d1f6a7b8c9d0e1f2a";

let viewer: ViewerApp;
let heading = "Shop";
const shop = Bun.serve({
  port: 0,
  fetch: () =>
    new Response(`<!doctype html><title>Shop</title><h1>${heading}</h1>`, {
      headers: { "content-type": "text/html" },
    }),
});
beforeAll(async () => {
  viewer = await viewerApp({
    settings: { rate_limits: { reads_per_minute: 100_000, writes_per_minute: 100_000 } },
  });
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  await shop.stop(true);
});

/** The next fire of a check, carried out in a real browser; the commits of its runs so far. */
async function fire(check: string): Promise<void> {
  const { app } = viewer;
  app.clock.advance(5 * 60_000);
  await app.tick();
  for (;;) {
    await app.runJobs();
    const rows = await rowsOf(app, check);
    if (rows.every(({ ended_at }) => ended_at !== null)) break;
    await Bun.sleep(20);
  }
  await app.runJobs();
}

const deploy = (commit_sha: string, base_url = `${shop.url.origin}/any/path`) =>
  send(viewer.app, "POST", "/v1/deployments", { base_url, commit_sha });

test("a check that begins to fail with a deployment leads with its cause, its first bad commit and both pictures", async () => {
  const { app } = viewer;
  const text = scenarioText("shop", "", shop.url.origin).replace(
    '1. go to "/"',
    '1. go to "/"\n2. expect text "Shop" within 1s',
  );
  await syncScenarios(app, { shop: text });
  const check = await watched(app, "shop", { alert_policy: { retries: 0 } });
  expect(await (await deploy(GOOD)).json()).toMatchObject({ origin: shop.url.origin, commit_sha: GOOD });
  await deploy("ccccccc3", "https://elsewhere.example");
  await fire(check);
  heading = "Something went wrong";
  await deploy(BAD);
  await fire(check);
  await fire(check);
  const { items } = (await (await app.api("/v1/incidents")).json()) as { items: IncidentItem[] };
  expect(items).toMatchObject([{ type: "consecutive_failures", trace_id: expect.any(String) }]);
  const { page, context } = await viewer.open(`/incidents/${items[0]!.id}`, { now: app.clock.now() });
  const cause = page.getByRole("region", { name: "Cause" });
  await cause.locator("img").nth(1).waitFor();
  const words = await cause.innerText();
  expect(words).toContain(`First failed at ${BAD.slice(0, 8)}`);
  expect(words).toContain(`Last passed at ${GOOD.slice(0, 8)}`);
  expect(words).toContain("The page said “Something went wrong”");
  await picture(page, "incident-first-bad-commit");
  await context.close();
});

test("an address that no scenario may go to, and what is no commit, are refused", async () => {
  for (const [base_url, sha] of [
    ["file:///etc", GOOD],
    ["shop", GOOD],
    [shop.url.origin, "main"],
    [shop.url.origin, "A".repeat(40)],
  ])
    expect((await deploy(sha!, base_url!)).status).toBe(422);
  const { items } = (await (await viewer.app.api("/v1/deployments")).json()) as {
    items: { commit_sha: string }[];
  };
  expect(items.map(({ commit_sha }) => commit_sha).sort()).toEqual([BAD, "ccccccc3"]);
});
