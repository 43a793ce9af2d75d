import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext, JobHandlers } from "../../jobs/types.ts";
import { DEATHS } from "../deaths.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { FIND_CAUSE } from "../kinds.ts";
import { publishTraceChange } from "../publish.ts";
import { keepCause, type MadeCause, makeCause, ofSummaryAlone } from "./make.ts";
import { hasFailed } from "./service.ts";

/** The job that looks for a cause anew. */
export function causeHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: FIND_CAUSE,
      // Nobody waits for it, and each reads several traces.
      atMost: 1,
      handle: (payload, context) => findAgain(deps, traceIdOf(payload), context),
    },
  ];
}

async function findAgain(deps: Deps, traceId: string, context: JobContext): Promise<void> {
  const trace = await findTrace(deps.store.records, traceId);
  if (!trace || !hasFailed(trace) || trace.tier === "cold") return;
  const made = context.deaths >= DEATHS.withoutCause ? await withoutEvents(deps, trace) : await withEvents();
  if (!made) return;
  await commit(deps, async (within, after) => {
    const now = await findTrace(within, traceId);
    if (!now) return;
    await keepCause(within, traceId, made, deps.clock.now());
    publishTraceChange(after, now);
  });

  async function withEvents(): Promise<MadeCause | null> {
    await context.begin();
    return keepingLease(deps, context, (kept) => makeCause(deps, trace!, kept));
  }
}

/** The process died of reading these events: what the summary tells has to do. */
async function withoutEvents(deps: Deps, trace: TraceRow): Promise<MadeCause | null> {
  deps.log.warn("the cause of a failure is told by its summary: the process died of looking for more", {
    trace_id: trace.id,
  });
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  return summary && ofSummaryAlone(summary);
}

function traceIdOf(payload: Record<string, unknown>): string {
  if (typeof payload.trace_id !== "string") throw new Error("The job's payload has no trace_id.");
  return payload.trace_id;
}
