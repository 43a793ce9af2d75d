import { tracesOfRun } from "../../../store/records/histories.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { requireTrace } from "../access.ts";
import { toHistoryItem } from "../histories/model.ts";
import type { Attempts } from "./model.ts";

/** More tries of one run than this are not told. */
const MOST_ATTEMPTS = 100;

/**
 * The attempts of the run that a trace belongs to: the traces of the same scenario with the same `run_id`, replays left
 * out. Their number is what the uploader said (`attempt`), else their place in the order they were made.
 * @throws AppError `not_found`, `wrong_org`
 */
export async function listAttempts(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<Attempts> {
  const trace = await requireTrace(deps, actor, id);
  const { run_id, scenario_id } = trace;
  const made =
    run_id === null || trace.parent_trace_id !== null
      ? [trace]
      : await tracesOfRun(
          deps.store.records,
          { orgId: actor.orgId, scenarioId: scenario_id, runId: run_id },
          MOST_ATTEMPTS,
        );
  const items = made.map((row, index) => ({ ...toHistoryItem(row), number: row.attempt ?? index + 1 }));
  return { run_id, items: items.sort((a, b) => a.number - b.number) };
}
