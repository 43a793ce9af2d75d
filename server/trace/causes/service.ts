import { findLastPass } from "../../../store/records/baselines.ts";
import { findCauseOf } from "../../../store/records/causes.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { CAUSE_ENGINE, NO_CAUSE } from "../format/cause/find-cause.ts";
import { causeOfSummary } from "../format/cause/from-summary.ts";
import type { Cause } from "../format/cause/types.ts";
import { FIND_CAUSE } from "../kinds.ts";
import { storedSummary } from "../reports/service.ts";
import type { CauseAnswer } from "./model.ts";

/** Whether a trace ended without passing. */
export function hasFailed({ status }: Pick<TraceRow, "status">): boolean {
  return status === "failed" || status === "error" || status === "aborted";
}

/**
 * Why a trace failed, as it was found when the trace was processed. Where nobody looked yet, or an older engine did, what
 * is known is told, and a job looks anew.
 */
export async function showCause(deps: Deps, trace: TraceRow): Promise<CauseAnswer> {
  const { baselineId, cause } = await causeOf(deps, trace);
  return { trace_id: trace.id, baseline_id: baselineId, ...cause };
}

/** As a reader of the share may have it: the pass is another trace, which was not shared. */
export function withoutBaseline(cause: CauseAnswer): CauseAnswer {
  return { ...cause, baseline_id: null };
}

async function causeOf(deps: Deps, trace: TraceRow): Promise<{ baselineId: string | null; cause: Cause }> {
  const { records } = deps.store;
  if (!hasFailed(trace)) return { baselineId: await lastPassId(deps, trace), cause: NO_CAUSE };
  const row = await findCauseOf(records, trace.id);
  if (row?.engine !== CAUSE_ENGINE && trace.tier !== "cold") await askFor(deps, trace.id);
  if (row) return { baselineId: row.baseline_id, cause: JSON.parse(row.cause) as Cause };
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  return {
    baselineId: await lastPassId(deps, trace),
    cause: summary ? causeOfSummary(summary) : NO_CAUSE,
  };
}

async function lastPassId(deps: Deps, trace: TraceRow): Promise<string | null> {
  return (await findLastPass(deps.store.records, trace))?.id ?? null;
}

async function askFor(deps: Deps, traceId: string): Promise<void> {
  await commit(deps, (_within, after) =>
    after.add({ kind: FIND_CAUSE, payload: { trace_id: traceId }, dedupeKey: traceId }),
  );
}
