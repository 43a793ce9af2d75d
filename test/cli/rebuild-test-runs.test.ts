import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestApp, testApp } from "../helpers/app.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";
import { begin, end, failure, result, send, wholeRun } from "../helpers/test-runs.ts";
import { getJson, runPeriodic, uploadTrace } from "../helpers/traces.ts";

setDefaultTimeout(200_000);

let scratch: ReturnType<typeof scratchFolder>;
let data: string;
beforeEach(() => {
  scratch = scratchFolder();
  data = scratch.at("data");
});
afterEach(() => scratch.remove());

async function rebuilt(folder = data): Promise<string> {
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `tracedeck.db${end}`), { force: true });
  const { code, stdout, stderr } = await runProgram(["doctor", "--rebuild", "--json", "--data", folder]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return (JSON.parse(stdout) as { rebuilt: string[] }).rebuilt.join("\n");
}

/** All that the API says of the test runs. */
async function answers(app: TestApp): Promise<unknown> {
  const list = await getJson<{ items: { id: string }[] }>(app, "/v1/test-runs");
  const told: unknown[] = [list];
  for (const { id } of list.items)
    for (const more of ["", "/tests?limit=100", "/causes"])
      told.push(await getJson<unknown>(app, `/v1/test-runs/${id}${more}`));
  return told;
}

/** Two runs on a branch: in the second one test began to fail, and one has a trace. */
async function fill(app: TestApp): Promise<void> {
  const frame = { branch: "main", commit_sha: "abc123", ci: { provider: "github", run_id: "7" } };
  await wholeRun(app, [result("pays"), result("looks")], frame);
  const { id: trace_id } = await uploadTrace(app);
  await app.runJobs();
  const later = { ...frame, ci: { provider: "github", run_id: "8" }, shard: { index: 1, total: 2 } };
  const { id } = await begin(app, later);
  await send(app, id, [failure("pays", { trace_id }), failure("pays", { attempt: 2 }), result("looks")]);
  await end(app, id, { shard: later.shard });
}

test("test runs come back with their tests, attempts and shards, those without a trace too", async () => {
  const before = await testApp({ dataDir: data });
  await fill(before);
  const told = await answers(before);
  await before.close();
  expect(await rebuilt()).toContain("made the records of 2 test runs anew");
  const after = await testApp({ dataDir: data });
  expect(await answers(after)).toEqual(told);
  // The second shard meets the run that it belongs to.
  const met = await begin(after, {
    ci: { provider: "github", run_id: "8" },
    shard: { index: 2, total: 2 },
  });
  expect((told as { id: string }[]).some(({ id }) => id === met.id)).toBe(true);
  await after.close();
});

test("a folder with nothing but test runs is no new one, and a record that is damaged is told", async () => {
  const before = await testApp({ dataDir: data });
  const ids = [await wholeRun(before, [result("pays")]), await wholeRun(before, [result("looks")])];
  await before.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(join(data, `tracedeck.db${end}`), { force: true });
  for (const name of ["signing.key", "credentials.json"]) rmSync(join(data, name), { force: true });
  expect((await runProgram(["traces", "list", "--data", data])).stderr).toContain("2 test runs");
  writeFileSync(join(data, "test-runs", `${ids[0]}.json.zst`), "no record");
  const words = await rebuilt();
  expect(words).toContain("made the records of 1 test run anew");
  expect(words).toContain(`test run ${ids[0]} lost everything: its record cannot be read`);
});

test("a backup holds the records of test runs, and a run that is forgotten takes its own along", async () => {
  const before = await testApp({ dataDir: data });
  await wholeRun(before, [result("pays")]);
  await runPeriodic(before, "test run records");
  const told = await answers(before);
  const file = scratch.at("backup.tar.zst");
  expect((await runProgram(["backup", file, "--data", data])).code).toBe(0);
  before.clock.advance(10_000 * 24 * 60 * 60_000);
  await runPeriodic(before, "test runs");
  await before.close();
  expect(readdirSync(join(data, "test-runs"))).toEqual([]);
  const back = scratch.at("back");
  expect((await runProgram(["restore", file, "--data", back])).code).toBe(0);
  expect(existsSync(join(back, "test-runs"))).toBe(true);
  await rebuilt(back);
  const after = await testApp({ dataDir: back });
  expect(await answers(after)).toEqual(told);
  await after.close();
});
