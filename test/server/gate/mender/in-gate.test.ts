import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startFaultyShop } from "../../../../fixtures/mender/faulty-shop.ts";
import { reword } from "../../../../fixtures/mender/say.ts";
import { type GateLab, gateLab, scenarioFile } from "../../../helpers/gates.ts";
import type { ModelPull } from "../../../helpers/host-api/model.ts";
import { send } from "../../../helpers/watch.ts";

setDefaultTimeout(180_000);

// A pull request renames a button that a scenario presses: the gate fails, and the mender has a patch of the scenario.
const STEPS = [
  'go to "/"',
  'click button "Add to cart" near heading "House beans, 1 kg" within 4s',
  'expect text "Cart (1)" within 4s',
];
let lab: GateLab;
let shop: ReturnType<typeof startFaultyShop>;
let pull: ModelPull;
const file = scenarioFile("cart", STEPS, 'covers: ["src/**"]\nmender: { mode: suggestive, cache: never }\n');

beforeAll(async () => {
  lab = await gateLab();
  shop = startFaultyShop();
  lab.files({ "cart.scenario.md": file });
  const synced = await send(lab.app, "POST", "/v1/scenarios/sync", {
    files: [{ path: "cart.scenario.md", text: file }],
  });
  expect(synced.status).toBe(200);
  await send(lab.app, "POST", "/v1/runs/manual", { scenarioId: "cart", baseUrl: shop.url });
  await lab.work();
  shop.spoil(reword({ "Add to cart": "Add to basket" }));
  pull = lab.host.openPull({ "src/a.ts": "1" });
  lab.host.deploy(pull.headSha, shop.url);
  await lab.news("opened", pull);
  await lab.work();
});
afterAll(async () => {
  await shop.stop();
  await lab.close();
});

test("the gate, its check and its comment lead to the verified patch once there is one", async () => {
  const gate = await lab.newest(pull);
  expect(gate).toMatchObject({ status: "failed", scenarios: [{ fix: { status: "verified" } }] });
  const { attempt_id } = gate.scenarios[0]!.fix!;
  expect(await (await lab.app.api(`/v1/mender/${attempt_id}`)).json()).toMatchObject({
    ...{ status: "verified", run_id: gate.scenarios[0]!.run_id },
  });
  expect(lab.comment(pull)).toContain(`**A fix is verified**: [the patch of the scenario](`);
  expect(lab.comment(pull)).toContain(`/mender/${attempt_id})`);
  const check = lab.check(pull.headSha)!;
  expect(check).toMatchObject({ conclusion: "failure" });
  expect(check.output.summary).toContain(attempt_id);
  // It was told anew for that, and its annotations are those of before.
  expect(check.annotations).toHaveLength(1);
});

test("a later commit that fails in the same way is led to the same patch, and when that is rejected to none", async () => {
  const first = (await lab.newest(pull)).scenarios[0]!.fix!;
  lab.host.push(pull, { "src/a.ts": "2" });
  lab.host.deploy(pull.headSha, shop.url);
  await lab.news("synchronize", pull);
  await lab.work();
  const gate = await lab.newest(pull);
  expect(gate).toMatchObject({ head_sha: pull.headSha, status: "failed", scenarios: [{ fix: first }] });
  expect(lab.comment(pull)).toContain(`/mender/${first.attempt_id})`);
  const rejected = await send(lab.app, "POST", `/v1/mender/${first.attempt_id}/reject`, {
    reason: "The old name comes back",
  });
  expect(rejected.status).toBe(200);
  await lab.work();
  expect((await lab.gate(gate.id)).scenarios[0]!.fix).toBeNull();
  expect(lab.comment(pull)).toContain("The gate fails");
  expect(lab.comment(pull)).not.toContain("A fix is verified");
});
