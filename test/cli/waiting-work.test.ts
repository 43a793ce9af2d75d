import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { INGEST_KINDS, JOB_KINDS } from "../../server/work.ts";
import { createTestClock, testApp } from "../helpers/app.ts";
import { playwrightZip } from "../helpers/bundles.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";
import { replayLab } from "../helpers/replays.ts";

setDefaultTimeout(120_000);

test("an ingest without a server leaves runs, messages and all else that waits to the server", async () => {
  const scratch = scratchFolder();
  const data = scratch.at("data");
  const file = scratch.at("trace.zip");
  writeFileSync(file, playwrightZip());
  const before = await testApp({ dataDir: data, clock: createTestClock() });
  const lab = replayLab(before);
  const scenarioId = await lab.scenario("waits", ["wait 1s"], "base_url: http://127.0.0.1:9\n");
  const run: { id: string } = await (await lab.post("/v1/runs/manual", { scenarioId })).json();
  const others = JOB_KINDS.filter((kind) => !INGEST_KINDS.has(kind));
  for (const kind of others) await before.deps.jobs.add(before.store.records, { kind, payload: {} });
  await before.close();

  const { code, stdout } = await runProgram(["ingest", file, "--scenario", "shop", "--wait", "--data", data]);
  expect(code).toBe(0);
  expect(stdout).toContain("passed");

  const after = await testApp({ dataDir: data, clock: createTestClock() });
  expect(await (await after.api(`/v1/runs/${run.id}`)).json()).toMatchObject({
    status: "queued",
    trace_id: null,
  });
  const touched = await after.store.records
    .selectFrom("jobs")
    .select(["kind", "state", "attempts", "last_error"])
    .where("kind", "in", others)
    .where((job) => job.or([job("state", "<>", "queued"), job("attempts", "<>", 0)]))
    .execute();
  expect(touched).toEqual([]);
  await after.close();
  scratch.remove();
});
