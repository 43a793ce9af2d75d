import { existsSync } from "node:fs";
import { join } from "node:path";
import { TRACE_FILES } from "../../../store/layout.ts";
import { readTraceRecord, settleTraceRecords, traceRecordsDue } from "../../../store/records/trace-record.ts";
import type { Deps } from "../../deps.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { writeFileAtomic } from "../../platform/files.ts";
import { inTurn } from "../tiers/turns.ts";

const LOOK_EVERY_MS = 1_000;
/** A few hundred small files, each brought to the disk, take about a second. */
const AT_ONCE = 200;

/** Keeps beside the files of every trace what the records say of it, so that lost records can be made anew. */
export function traceRecordsTask(deps: Deps): PeriodicTask {
  return { name: "trace records", everyMs: LOOK_EVERY_MS, run: () => writeTraceRecords(deps) };
}

/** Writes the records of traces that changed, at most `AT_ONCE`; what is left waits for the next call. */
export async function writeTraceRecords(deps: Pick<Deps, "store">): Promise<void> {
  const { records } = deps.store;
  const due = await traceRecordsDue(records, AT_ONCE);
  if (due.length === 0) return;
  for (const { trace_id } of due) await inTurn(deps, trace_id, () => writeRecord(deps, trace_id));
  await records.transaction().execute((within) => settleTraceRecords(within, due));
}

/** A trace without a folder has nothing yet that could be lost. */
async function writeRecord({ store }: Pick<Deps, "store">, traceId: string): Promise<void> {
  const folder = store.layout.trace(traceId);
  const record = await readTraceRecord(store.records, traceId);
  if (!record || !existsSync(folder)) return;
  writeFileAtomic(join(folder, TRACE_FILES.record), JSON.stringify(record), { mode: 0o600 });
}
