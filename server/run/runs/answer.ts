import { findCauseOf } from "../../../store/records/causes.ts";
import type { RunRow } from "../../../store/records/runs.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { type RunAnswer, toRun } from "./model.ts";

/** A run with what its trace tells of it. */
export async function answerRun(
  { store: { records } }: Pick<Deps, "store">,
  run: RunRow,
): Promise<RunAnswer> {
  if (run.trace_id === null || run.status === "passed") return toRun(run);
  const trace = await findTrace(records, run.trace_id);
  const cause = await findCauseOf(records, run.trace_id);
  return toRun(run, {
    failure_signature: trace?.failure_signature ?? null,
    headline: cause?.headline ?? null,
  });
}
