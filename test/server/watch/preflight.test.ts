import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../../fixtures/app/shop.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { scenarioText, send, syncScenarios } from "../../helpers/watch.ts";

setDefaultTimeout(120_000);

let shop: Shop;
beforeAll(() => {
  shop = startShop();
});
afterAll(() => shop.stop());

/** The clock is the machine's: a run in a browser waits by it. */
async function preflight(t: TestApp, slug: string) {
  const stop = new AbortController();
  const working = (async () => {
    while (!stop.signal.aborted) {
      await t.runJobs();
      t.clock.advance(1000);
      await Bun.sleep(20);
    }
  })();
  const answer = await send(t, "POST", `/v1/scenarios/${slug}/preflight`);
  stop.abort();
  await working;
  return {
    status: answer.status,
    body: (await answer.json()) as { recorded: boolean; run_id: string; reason?: string },
  };
}

const entries = (t: TestApp) =>
  t.store.records
    .selectFrom("audit_events")
    .selectAll()
    .where("action", "=", "synthetic.preflight")
    .execute();

test("a target that is sent the header and sees the flag is recorded, whether the scenario passes or not; then it may be watched", async () => {
  const t = await testApp();
  const failing = scenarioText("shop", "", shop.url).replace(
    '1. go to "/"',
    '1. go to "/"\n2. click button "Nowhere" within 1s',
  );
  const ids = await syncScenarios(t, { shop: failing });
  const check = () => send(t, "POST", "/v1/scheduled_checks", { scenario_id: "shop" });
  expect((await check()).status).toBe(422);
  expect(await (await t.api("/v1/scenarios/shop/preflight")).json()).toEqual({ recorded: false });
  const { status, body } = await preflight(t, "shop");
  expect({ status, body }).toEqual({ status: 200, body: { recorded: true, run_id: expect.any(String) } });
  expect(await (await t.api(`/v1/runs/${body.run_id}`)).json()).toMatchObject({
    type: "manual",
    trigger: "preflight",
    status: "failed",
    check_id: null,
  });
  expect(await entries(t)).toMatchObject([{ target: ids.shop, actor_id: expect.any(String) }]);
  expect(await (await t.api("/v1/scenarios/shop/preflight")).json()).toEqual({ recorded: true });
  expect((await check()).status).toBe(200);
  await t.close();
});

test("a target whose origin gets no header, or that is not reached, is not recorded, and why is told", async () => {
  const t = await testApp({ settings: { synthetic: { exclude_origins: [new URL(shop.url).origin] } } });
  await syncScenarios(t, {
    shop: scenarioText("shop", "", shop.url),
    gone: scenarioText("gone", "", "http://127.0.0.1:9"),
    bare: '---\nslug: bare\ntitle: bare\n---\n1. go to "http://127.0.0.1:9"\n',
  });
  const excluded = await preflight(t, "shop");
  expect(excluded.body).toMatchObject({
    recorded: false,
    reason: expect.stringContaining("exclude_origins"),
  });
  const unreached = await preflight(t, "gone");
  expect(unreached.body).toMatchObject({ recorded: false, reason: expect.stringContaining("127.0.0.1:9") });
  expect(await entries(t)).toEqual([]);
  expect((await send(t, "POST", "/v1/scenarios/none/preflight")).status).toBe(404);
  expect((await send(t, "POST", "/v1/scenarios/bare/preflight")).status).toBe(422);
  await t.close();
});
