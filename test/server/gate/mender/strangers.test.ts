import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { lookAtRun } from "../../../../server/gate/mender/work.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { changeAttempt, listAttempts } from "../../../../store/records/mender.ts";
import { insertRun } from "../../../../store/records/runs.ts";
import { findTrace } from "../../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../../helpers/bundles.ts";

setDefaultTimeout(60_000);

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const SOURCE =
  '---\nslug: checkout\ntitle: Checkout\nmender: { mode: suggestive }\n---\n1. expect text "Paid"\n';
const { scenario } = compileScenario({ name: "checkout.scenario.md", text: SOURCE }, () => null);

/** A run of the scenario that failed, always in the same way. @returns its id and its scenario's */
async function failed(plan: object): Promise<{ id: string; scenarioId: string }> {
  const message = 'Expected the text "Paid", but found "Open".';
  const lines = eventLines(2, (seq) =>
    seq === 1 ? { kind: "assertion", step_id: "s1", ok: false, message } : {},
  );
  const form = uploadForm(bundle([manifest({ status: "failed" }), events(lines)]));
  const answer = await app.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id } = (await answer.json()) as { trace_id: string };
  await app.runJobs();
  const { records } = app.deps.store;
  const { scenario_id } = (await findTrace(records, trace_id))!;
  const id = app.deps.ids.uuid();
  await insertRun(records, {
    ...{ id, org_id: app.orgId, type: "pr", status: "failed", scenario_id, trace_id },
    ...{ scenario_slug: "checkout", region: "local", base_url: "http://shop", trigger: "pr" },
    ...{ plan: JSON.stringify({ scenario, source: SOURCE, ...plan }), scheduled_at: app.clock.now() },
  });
  return { id, scenarioId: scenario_id };
}

test("what strangers ran uses no attempt up, and one that was used up by it is opened again", async () => {
  const { records } = app.deps.store;
  const theirs = await failed({ is_untrusted: true });
  const attempts = () => listAttempts(records, { orgId: app.orgId, scenarioId: theirs.scenarioId, limit: 9 });
  await lookAtRun(app.deps, theirs.id);
  expect(await attempts()).toEqual([]);

  const ours = await failed({});
  await lookAtRun(app.deps, ours.id);
  expect(await attempts()).toMatchObject([{ run_id: ours.id, stage: "diagnosing" }]);
  const { id } = (await attempts())[0]!;

  // As it was kept before: of a run of strangers, and ended without a try.
  const ended = { run_id: theirs.id, stage: "ended", status: "failed", updated_at: app.clock.now() } as const;
  await changeAttempt(records, id, {}, ended);
  const again = await failed({});
  await lookAtRun(app.deps, again.id);
  expect(await attempts()).toMatchObject([{ id, run_id: again.id, stage: "diagnosing", status: "proposed" }]);

  // What was looked at for a run of our own, or rejected, stays ended.
  await changeAttempt(records, id, {}, { ...ended, run_id: ours.id });
  await lookAtRun(app.deps, again.id);
  await changeAttempt(records, id, {}, { ...ended, status: "rejected" });
  await lookAtRun(app.deps, again.id);
  expect(await attempts()).toMatchObject([{ id, stage: "ended", status: "rejected" }]);
});
