import { findLastPass } from "../../../store/records/baselines.ts";
import { findCauseOf } from "../../../store/records/causes.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { TraceAccess } from "../access.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { CAUSE_ENGINE, NO_CAUSE } from "../format/cause/find-cause.ts";
import { causeOfSummary } from "../format/cause/from-summary.ts";
import type { Cause, FoundCause } from "../format/cause/types.ts";
import { FIND_CAUSE } from "../kinds.ts";
import type { CauseAnswer } from "./model.ts";

/** Whether a trace ended without passing. */
export function hasFailed({ status }: Pick<TraceRow, "status">): boolean {
  return status === "failed" || status === "error" || status === "aborted";
}

/** Why a trace failed, as `GET /v1/traces/{id}/cause` tells it. @throws AppError `unavailable` when a file is damaged */
export async function showCause(deps: Deps, trace: TraceRow): Promise<CauseAnswer> {
  const { baselineId, found } = await causeOf(deps, trace);
  return { trace_id: trace.id, baseline_id: baselineId, ...found.cause };
}

/** The same for whoever is handed this trace alone: the pass is another trace, which was not shared. */
export async function showSharedCause(deps: Deps, trace: TraceRow): Promise<CauseAnswer> {
  return { trace_id: trace.id, baseline_id: null, ...(await sharedCauseOf(deps, trace)).cause };
}

/**
 * What `causeOf` tells without what the passes say: by a share, in a file that is handed on.
 * @throws AppError `unavailable` when a file is damaged
 */
export async function sharedCauseOf(
  deps: Deps,
  trace: TraceRow,
): Promise<Pick<FoundCause, "cause" | "context">> {
  const { found } = await causeOf(deps, trace);
  return {
    cause: found.shared ?? (await ofSummary(deps, trace)),
    context: found.context && { ...found.context, passing_url: null, divergence: null },
  };
}

/**
 * What `causeOf` tells to a reader. Whoever is handed the trace alone is not told whether there was a pass.
 * @throws AppError `unavailable` when a file is damaged
 */
export async function causeFor(
  deps: Deps,
  trace: TraceRow,
  reader: TraceAccess["kind"],
): Promise<Pick<FoundCause, "cause" | "context"> & { isAlone: boolean }> {
  if (reader === "share") return { ...(await sharedCauseOf(deps, trace)), isAlone: false };
  const { baselineId, found } = await causeOf(deps, trace);
  return { cause: found.cause, context: found.context, isAlone: baselineId === null };
}

/**
 * Why a trace failed, as it was found when the trace was processed. Where nobody looked yet, or an older engine did, what
 * is known is told, and a job looks anew: nobody waits for it.
 * @throws AppError `unavailable` when a file is damaged
 */
export async function causeOf(
  deps: Deps,
  trace: TraceRow,
): Promise<{ baselineId: string | null; found: FoundCause }> {
  const nothing = { cause: NO_CAUSE, shared: NO_CAUSE, context: null };
  if (!hasFailed(trace)) return { baselineId: await lastPassId(deps, trace), found: nothing };
  const row = await findCauseOf(deps.store.records, trace.id);
  if (row?.engine !== CAUSE_ENGINE && trace.tier !== "cold") await askFor(deps, trace.id);
  if (row) return { baselineId: row.baseline_id, found: JSON.parse(row.cause) as FoundCause };
  const cause = await ofSummary(deps, trace);
  return { baselineId: await lastPassId(deps, trace), found: { cause, shared: cause, context: null } };
}

async function ofSummary(deps: Deps, trace: TraceRow): Promise<Cause> {
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  return summary ? causeOfSummary(summary) : NO_CAUSE;
}

async function lastPassId(deps: Deps, trace: TraceRow): Promise<string | null> {
  return (await findLastPass(deps.store.records, trace))?.id ?? null;
}

async function askFor(deps: Deps, traceId: string): Promise<void> {
  await commit(deps, (_within, after) =>
    after.add({ kind: FIND_CAUSE, payload: { trace_id: traceId }, dedupeKey: traceId }),
  );
}
