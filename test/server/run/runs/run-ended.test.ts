import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failOrphanedRuns } from "../../../../server/run/runs/handlers.ts";
import { settleRun } from "../../../../server/run/runs/settle.ts";
import { findRun } from "../../../../store/records/runs.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { childCommand } from "../../../helpers/child.ts";
import { replayLab } from "../../../helpers/replays.ts";

setDefaultTimeout(60_000);

const CHILD = join(import.meta.dir, "../../../helpers/run-ended-child.ts");
const PASSED = { status: "passed", error: null } as const;
const SCENARIO = { slug: "ends", title: "Ends", steps: [] };

let dataDir: string;
let app: TestApp;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-ended-"));
  app = await testApp({ dataDir });
});
afterEach(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true });
});

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await replayLab(app).post(path, body);
  expect(response.ok).toBe(true);
  return (await response.json()) as T;
}
const statusOf = async (id: string) => (await findRun(app.store.records, id))?.status;

/** The jobs of the ends of runs. */
async function ends(): Promise<{ payload: unknown; state: string }[]> {
  const { records } = app.store;
  const rows = await records
    .selectFrom("jobs")
    .select(["payload", "state"])
    .where("kind", "=", "run.ended")
    .execute();
  return rows.map(({ payload, state }) => ({ payload: JSON.parse(payload), state }));
}

async function queuedRun(): Promise<string> {
  await replayLab(app).scenario("ends", ['go to "/"']);
  const asked = { scenarioId: "ends", baseUrl: "http://localhost:1" };
  return (await post<{ id: string }>("/v1/runs/manual", asked)).id;
}

/** A run that another process carries out, with a trace that it has begun. */
async function recordedRun(): Promise<{ id: string; traceId: string }> {
  const begun = { scenario: SCENARIO, region: "us-east-1" };
  const { run } = await post<{ run: { id: string } }>("/internal/v1/runs", begun);
  const manifest = { version: 1, scenario: { slug: "ends" }, run_id: run.id };
  const { trace_id } = await post<{ trace_id: string }>("/internal/v1/traces", manifest);
  await post(`/internal/v1/runs/${run.id}/progress`, { trace_id, lines: [] });
  return { id: run.id, traceId: trace_id };
}

test("a run that is cancelled leaves one job of its end, which is handled", async () => {
  const id = await queuedRun();
  expect(await ends()).toEqual([]);
  await post(`/v1/runs/${id}/cancel`, {});
  expect(await ends()).toEqual([{ payload: { run_id: id }, state: "queued" }]);
  await app.runJobs();
  expect(await ends()).toEqual([{ payload: { run_id: id }, state: "done" }]);
});

test("a run that ends twice has one job, also when the first is done", async () => {
  const id = await queuedRun();
  await Promise.all([1, 2].map(() => settleRun(app.deps, { id }, PASSED, true)));
  await settleRun(app.deps, { id }, { status: "failed", error: null }, true);
  expect(await ends()).toHaveLength(1);
  await app.runJobs();
  await post(`/v1/runs/${id}/cancel`, {});
  await settleRun(app.deps, { id }, PASSED, true);
  expect(await ends()).toEqual([{ payload: { run_id: id }, state: "done" }]);
  expect(await statusOf(id)).toBe("passed");
});

test("a run that waits for its trace ends with it, and the job comes with the trace's last word", async () => {
  const { id, traceId } = await recordedRun();
  await post(`/internal/v1/runs/${id}/end`, { status: "passed", error: null, healed: [], fingerprints: {} });
  expect([await statusOf(id), await ends()]).toEqual(["running", []]);
  await post(`/internal/v1/traces/${traceId}/end`, { status: "passed" });
  expect([await statusOf(id), await ends()]).toEqual(["running", []]);
  await app.runJobs();
  expect(await statusOf(id)).toBe("passed");
  expect(await ends()).toEqual([{ payload: { run_id: id }, state: "done" }]);
});

test("a run whose server died leaves one job", async () => {
  const { id } = await recordedRun();
  await failOrphanedRuns(app.deps);
  await app.runJobs();
  await failOrphanedRuns(app.deps);
  expect(await statusOf(id)).toBe("error");
  expect(await ends()).toEqual([{ payload: { run_id: id }, state: "done" }]);
});

test("a server that is killed between a run's end and what follows it loses nothing", async () => {
  const id = await queuedRun();
  await app.close();
  const child = Bun.spawn([...childCommand(CHILD), dataDir, id], { stdio: ["ignore", "ignore", "inherit"] });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  app = await testApp({ dataDir });
  expect(await statusOf(id)).toBe("aborted");
  expect(await ends()).toEqual([{ payload: { run_id: id }, state: "queued" }]);
  // The child's clock is the machine's, which is ahead of this one's.
  await app.store.records.updateTable("jobs").set({ visible_at: 0 }).where("state", "=", "queued").execute();
  await app.runJobs();
  expect(await ends()).toEqual([{ payload: { run_id: id }, state: "done" }]);
});
