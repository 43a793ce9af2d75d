import { createLocalSink } from "../../server/run/pool/local-sink.ts";
import { settleRun } from "../../server/run/runs/settle.ts";
import { changeRun, type RunRow } from "../../store/records/runs.ts";
import type { TestApp } from "./app.ts";
import { eventLines, zstd } from "./bundles.ts";

export interface Recorded {
  status: "passed" | "failed";
  /** Lines of events; ten of the console unless said otherwise. */
  lines?: string;
  /** Blobs that the lines name. */
  blobs?: { hash: string; bytes: Uint8Array; mediaType: string }[];
}

/**
 * Records a run that waits as its runner would, without a browser: its trace grows through the sink of the server's own runs, and both get
 * their verdict. What it sets off is left to `runJobs`.
 * @returns the id of the trace
 */
export async function recordRun(t: TestApp, run: RunRow, recorded: Recorded): Promise<string> {
  const { deps } = t;
  const { records } = t.store;
  await changeRun(records, run.id, ["queued"], { status: "running", started_at: t.clock.now() });
  const of = {
    orgId: run.org_id,
    isByClock: ["schedule", "catch_up", "retry"].includes(run.trigger),
    isOfStrangers: false,
  };
  const keep = createLocalSink(deps, of, async (traceId) => {
    await changeRun(records, run.id, ["running"], { trace_id: traceId });
  });
  const scenario = { slug: run.scenario_slug, title: run.scenario_slug };
  const started_at = new Date(t.clock.now()).toISOString();
  const ofRun = { source: run.type, run_id: run.id, region: run.region };
  const manifest = { version: 1, scenario, started_at, ...ofRun } as const;
  const { traceId } = (await keep({ method: "begin", manifest })) as { traceId: string };
  const { blobs = [], lines = eventLines(10) } = recorded;
  if (blobs.length > 0) await keep({ method: "blobs", blobs });
  await keep({ method: "chunk", n: 0, bytes: zstd(Buffer.from(lines)) });
  const { status } = recorded;
  await keep({ method: "end", status, endedAt: new Date(t.clock.now()).toISOString() });
  await settleRun(deps, run, { status, error: null });
  return traceId;
}

/** Has a fire of the checks that are due, and records its runs; the ids of their traces, in the order of regions. */
export async function fire(t: TestApp, of: (run: RunRow) => Recorded): Promise<string[]> {
  await t.tick();
  const waiting = await t.store.records
    .selectFrom("runs")
    .selectAll()
    .where("status", "=", "queued")
    .orderBy("scenario_slug")
    .orderBy("region")
    .execute();
  const ids: string[] = [];
  for (const run of waiting) ids.push(await recordRun(t, run, of(run)));
  await t.runJobs();
  return ids;
}
