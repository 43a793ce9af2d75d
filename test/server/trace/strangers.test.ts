import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findLastPass } from "../../../store/records/baselines.ts";
import { coverageOf } from "../../../store/records/coverage.ts";
import { insertRun } from "../../../store/records/runs.ts";
import { findTrace } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";

setDefaultTimeout(60_000);

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

/** A run of the scenario "checkout" that passed and used these scripts; `plan` is what it carried out. */
async function passed(source: string, scripts: string[], plan: object = {}): Promise<string> {
  const entries = scripts.map((name) => ({ url: `http://shop/${name}`, used: 1 }));
  const lines = eventLines(2, (seq) => (seq === 1 ? { kind: "script.coverage", entries } : {}));
  const form = uploadForm(bundle([manifest({ status: "passed", source }), events(lines)]));
  const answer = await app.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id: id } = (await answer.json()) as { trace_id: string };
  const { records } = app.deps.store;
  const { scenario_id } = (await findTrace(records, id))!;
  await insertRun(records, {
    ...{ id: app.deps.ids.uuid(), org_id: app.orgId, type: "pr", status: "running", scenario_id },
    ...{ scenario_slug: "checkout", region: "local", base_url: "http://shop", trigger: "pr" },
    ...{ plan: JSON.stringify(plan), trace_id: id, scheduled_at: app.clock.now() },
  });
  await app.runJobs();
  app.clock.advance(1000);
  return id;
}

async function used(traceId: string): Promise<string[]> {
  const { records } = app.deps.store;
  const { scenario_id } = (await findTrace(records, traceId))!;
  return (await coverageOf(records, scenario_id)).map(({ path }) => path);
}

test("a branch adds to what a scenario is known to use, a fork says nothing of it and is no baseline", async () => {
  const first = await passed("schedule", ["cart.js", "pay.js"]);
  expect(await used(first)).toEqual(["/cart.js", "/pay.js"]);
  const branch = await passed("pr", ["new.js"]);
  expect(await used(first)).toEqual(["/cart.js", "/new.js", "/pay.js"]);
  await passed("pr", ["theirs.js"], { is_untrusted: true });
  const another = await passed("pr", [], { is_untrusted: true });
  expect(await used(first)).toEqual(["/cart.js", "/new.js", "/pay.js"]);
  const { records } = app.deps.store;
  expect(await findLastPass(records, (await findTrace(records, another))!)).toMatchObject({ id: branch });
  await passed("schedule", ["cart.js"]);
  expect(await used(first)).toEqual(["/cart.js"]);
});
