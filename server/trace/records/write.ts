import { testRunRecordKey, traceRecordKey } from "../../../store/files/keys.ts";
import {
  readTestRunRecord,
  settleTestRunRecords,
  testRunRecordsDue,
} from "../../../store/records/test-run-record.ts";
import { readTraceRecord, settleTraceRecords, traceRecordsDue } from "../../../store/records/trace-record.ts";
import type { Deps } from "../../deps.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";

const LOOK_EVERY_MS = 1_000;
/** A few hundred small files, each brought to the disk, take about a second. */
const AT_ONCE = 200;

/** Keeps beside the files of every trace what the records say of it, so that lost records can be made anew. */
export function traceRecordsTask(deps: Deps): PeriodicTask {
  return { name: "trace records", everyMs: LOOK_EVERY_MS, of: "server", run: () => writeTraceRecords(deps) };
}

/** Writes the records of traces that changed, at most `AT_ONCE`; what is left, or fails, waits for the next call. */
export async function writeTraceRecords(
  deps: CommitDeps & Pick<Deps, "store" | "log" | "traceState">,
): Promise<void> {
  const { records } = deps.store;
  const due = await traceRecordsDue(records, AT_ONCE);
  if (due.length === 0) return;
  const written: typeof due = [];
  for (const one of due) {
    try {
      await deps.traceState.fileLock(one.trace_id, () => writeRecord(deps, one.trace_id));
      written.push(one);
    } catch (error) {
      deps.log.error("the record of a trace was not written beside its files", {
        trace: one.trace_id,
        error,
      });
    }
  }
  await commit(deps, (within) => settleTraceRecords(within, written));
}

/** Readers, and a power cut, see the old record or the new. A trace without any file has nothing yet that could be lost. */
async function writeRecord({ store }: Pick<Deps, "store">, traceId: string): Promise<void> {
  const record = await readTraceRecord(store.records, traceId);
  if (record && (await store.files.keysOf(traceId)).length > 0)
    await store.files.putRecord(traceRecordKey(traceId), Buffer.from(JSON.stringify(record)));
}

/** A run that goes on changes with every batch of results. */
const TEST_RUNS_EVERY_MS = 10_000;

/** Keeps in the data folder what the records say of every test run: results need no trace. */
export function testRunRecordsTask(deps: Deps): PeriodicTask {
  return {
    name: "test run records",
    everyMs: TEST_RUNS_EVERY_MS,
    of: "server",
    run: () => writeTestRunRecords(deps),
  };
}

/** The same as `writeTraceRecords` for test runs; the record of a run that is gone goes. */
export async function writeTestRunRecords(deps: CommitDeps & Pick<Deps, "store" | "log">): Promise<void> {
  const { records } = deps.store;
  const due = await testRunRecordsDue(records, AT_ONCE);
  if (due.length === 0) return;
  const written: typeof due = [];
  for (const one of due) {
    try {
      await writeTestRunRecord(deps, one.test_run_id);
      written.push(one);
    } catch (error) {
      deps.log.error("the record of a test run was not written", { test_run: one.test_run_id, error });
    }
  }
  await commit(deps, (within) => settleTestRunRecords(within, written));
}

async function writeTestRunRecord({ store }: Pick<Deps, "store">, id: string): Promise<void> {
  const record = await readTestRunRecord(store.records, id);
  const key = testRunRecordKey(id);
  if (record) await store.files.putRecord(key, await Bun.zstdCompress(JSON.stringify(record)));
  else await store.files.remove(key);
}
