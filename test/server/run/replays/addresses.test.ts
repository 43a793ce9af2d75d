import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../../../fixtures/app/shop.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { replayLab } from "../../../helpers/replays.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await testApp();
  shop = startShop();
});
afterAll(async () => {
  await app.close();
  await shop.stop();
});

test("no edit leads a replay to another address than one of the web", async () => {
  const lab = replayLab(app);
  const traceId = await lab.record(await lab.scenario("edited", ['go to "/"', 'go to "/cart"']), shop.url);
  for (const address of ["file:///etc/hostname", "VIEW-SOURCE:http://localhost/", "chrome://version"]) {
    const scenario_diff = `@@ -6 +6 @@\n-2. go to "/cart"\n+2. go to "${address}"\n`;
    for (const from_step of [1, 2]) {
      const { status, error } = await lab.replay(traceId, { from_step, edits: { scenario_diff } });
      expect({ address, from_step, status, reason: error?.reason }).toEqual({
        address,
        from_step,
        status: "failed",
        reason: "url_not_allowed",
      });
    }
  }
});
