import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findLastPass } from "../../../store/records/baselines.ts";
import { coverageOf } from "../../../store/records/coverage.ts";
import { findTrace, updateTrace } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";

setDefaultTimeout(60_000);

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

/** A trace of the scenario "checkout" that passed and used these scripts. Its run is gone. */
async function passed(source: string, scripts: string[], by_strangers = 0): Promise<string> {
  const entries = scripts.map((name) => ({ url: `http://shop/${name}`, used: 1 }));
  const lines = eventLines(2, (seq) => (seq === 1 ? { kind: "script.coverage", entries } : {}));
  const form = uploadForm(bundle([manifest({ status: "passed", source }), events(lines)]));
  const answer = await app.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id: id } = (await answer.json()) as { trace_id: string };
  await updateTrace(app.deps.store.records, id, { by_strangers });
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
  await passed("pr", ["theirs.js"], 1);
  const another = await passed("pr", [], 1);
  expect(await used(first)).toEqual(["/cart.js", "/new.js", "/pay.js"]);
  const { records } = app.deps.store;
  expect(await findLastPass(records, (await findTrace(records, another))!)).toMatchObject({ id: branch });
  await passed("schedule", ["cart.js"]);
  expect(await used(first)).toEqual(["/cart.js"]);
});
