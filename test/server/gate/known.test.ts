import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../../fixtures/app/shop.ts";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { updateTrace } from "../../../store/records/traces.ts";
import { type GateLab, gateLab, scenarioFile } from "../../helpers/gates.ts";
import { send, watched } from "../../helpers/watch.ts";

setDefaultTimeout(180_000);

const MINUTE_MS = 60_000;
/** Deterministic, and quick to fail. */
const MISSES = ['go to "/"', 'expect text "Nowhere" within 100ms'];
const OTHERWISE = ['go to "/"', 'expect text "Neverwhere" within 100ms'];
const CART = ['go to "/"', 'expect text "Add to cart" within 1s'];

let lab: GateLab;
/** Where the cart button has another name. */
let renamed: Shop;
const covers = (name: string): string => `covers: ["src/${name}/**"]\n`;

beforeAll(async () => {
  lab = await gateLab();
  renamed = startShop({ mode: "renamed" });
  lab.files({
    "scheduled.scenario.md": scenarioFile("scheduled", MISSES, covers("scheduled")),
    "incident.scenario.md": scenarioFile("incident", MISSES, covers("incident")),
    "otherwise.scenario.md": scenarioFile("otherwise", MISSES, covers("otherwise")),
    "cart.scenario.md": scenarioFile("cart", CART, covers("cart")),
    "twice.scenario.md": scenarioFile("twice", MISSES, covers("twice")),
  });
});
afterAll(async () => {
  await renamed.stop();
  await lab.close();
});

/** The scenario as it is loaded and watched, at the shop. */
async function load(slug: string, steps: string[]): Promise<void> {
  const text = scenarioFile(slug, steps).replace("http://127.0.0.1:9", lab.shop.url);
  const answer = await send(lab.app, "POST", "/v1/scenarios/sync", {
    files: [{ path: `${slug}.scenario.md`, text }],
  });
  expect(answer.status).toBe(200);
}

/** Watches a scenario as production does, for one fire of its check. @returns the id of the run */
async function fails(slug: string, steps: string[], policy: object): Promise<string> {
  await load(slug, steps);
  const check = await watched(lab.app, slug, {
    cron: "*/5 * * * *",
    regions: ["eu-west-1"],
    alert_policy: { retries: 0, failure_rate: null, ...policy },
    enabled: true,
  });
  lab.app.clock.advance(5 * MINUTE_MS);
  await lab.app.tick();
  await lab.app.runJobs();
  await send(lab.app, "PUT", `/v1/scheduled_checks/${check}`, { enabled: false });
  const { items } = (await (await lab.app.api(`/v1/runs?type=schedule&scenario=${slug}`)).json()) as {
    items: { id: string; status: string }[];
  };
  expect(items).toMatchObject([{ status: "failed" }]);
  return items[0]!.id;
}

async function judged(name: string, url = lab.shop.url, baseRef = "main") {
  const pull = lab.host.openPull({ [`src/${name}/a.ts`]: String(Math.random()) }, { baseRef });
  lab.host.deploy(pull.headSha, url);
  await lab.news("opened", pull);
  await lab.work();
  return { pull, gate: await lab.newest(pull) };
}

const only = (gate: GateAnswer) => {
  expect(gate.scenarios).toHaveLength(1);
  return gate.scenarios[0]!.finding!;
};

/** What the check and the comment of a failure say that is not laid to the commit. */
function expectNotBlamed({ pull, gate }: Awaited<ReturnType<typeof judged>>, sentence: string): void {
  expect(gate).toMatchObject({
    ...{ status: "passed", passes: true, failed_count: 1 },
    reason: "Nothing new fails: 1 of 1 scenario failed already without this change.",
  });
  expect(only(gate)).toMatchObject({ outcome: "failed", blocks: false });
  expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "success" });
  expect(lab.check(pull.headSha)!.annotations).toMatchObject([{ annotation_level: "notice" }]);
  expect(lab.comment(pull)).toContain(sentence);
}

describe("what fails in production already", () => {
  test("by its newest scheduled run, is not laid to the commit, and that run is linked", async () => {
    const runId = await fails("scheduled", MISSES, { consecutive_failures: 5 });
    const found = await judged("scheduled");
    expectNotBlamed(found, "It already fails in production, in the same way.");
    expect(only(found.gate).known).toMatchObject([
      { kind: "production", is_same: true, run_id: runId, incident_id: null },
    ]);
    expect(lab.comment(found.pull)).toContain(`/runs/${runId})`);
  });

  test("by its open incident, is not laid to the commit, and the incident is linked", async () => {
    await fails("incident", MISSES, { consecutive_failures: 1 });
    const { items } = (await (await lab.app.api("/v1/incidents?status=open")).json()) as {
      items: { id: string }[];
    };
    expect(items).toHaveLength(1);
    const found = await judged("incident");
    expectNotBlamed(found, "It already fails in production, in the same way.");
    expect(only(found.gate).known).toMatchObject([{ kind: "production", incident_id: items[0]!.id }]);
    expect(lab.comment(found.pull)).toContain(`/incidents/${items[0]!.id})`);
  });

  test("in another way, is told, and the commit's own failure fails the gate", async () => {
    await fails("otherwise", OTHERWISE, { consecutive_failures: 5 });
    const { pull, gate } = await judged("otherwise");
    expect(gate).toMatchObject({ status: "failed", passes: false });
    expect(only(gate)).toMatchObject({ blocks: true, known: [{ kind: "production", is_same: false }] });
    expect(lab.comment(pull)).toContain("It fails in production too, in another way.");
  });

  test("is of the past after a week without a run and without an incident", async () => {
    await fails("twice", MISSES, { consecutive_failures: 5 });
    lab.app.clock.advance(8 * 24 * 60 * MINUTE_MS);
    const { gate } = await judged("twice");
    expect(gate).toMatchObject({ status: "failed" });
    expect(only(gate)).toMatchObject({ blocks: true, known: [] });
  });
});

test("what came and went by itself twice is flaky, and is not laid to the commit", async () => {
  await load("cart", CART);
  for (const at of [renamed, lab.shop, renamed, lab.shop]) {
    const asked = await send(lab.app, "POST", "/v1/runs/manual", { scenarioId: "cart", baseUrl: at.url });
    expect(asked.status).toBe(202);
    await lab.app.runJobs();
  }
  // What is known of a commit is known of runs that CI makes; where it is not, the code may have changed between the two.
  const { items } = (await (await lab.app.api("/v1/traces?scenario=cart")).json()) as {
    items: { id: string }[];
  };
  expect(items).toHaveLength(4);
  for (const { id } of items) await updateTrace(lab.app.deps.store.records, id, { code_sha: "c".repeat(40) });
  const found = await judged("cart", renamed.url);
  expectNotBlamed(
    found,
    "It is flaky: it failed like this and then passed by itself 2 times in the last 4 runs.",
  );
  expect(only(found.gate).known).toMatchObject([{ kind: "flaky", is_same: true }]);
});

test("what a gate of the base commit itself found is not laid to the commit after it, without another run", async () => {
  const before = await judged("twice");
  expect(before.gate).toMatchObject({ status: "failed" });
  const found = await judged("twice", lab.shop.url, before.pull.headRef);
  expectNotBlamed(found, "It also fails on the base commit, in the same way.");
  expect(found.gate.scenarios[0]).toMatchObject({ base_run_id: null });
  expect(only(found.gate).known).toMatchObject([{ kind: "base", run_id: only(before.gate).run_id }]);
});
