import type { ShownReplay } from "../../../store/records/replays.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { TaskOptions } from "../../platform/tasks.ts";
import { withCauseInput } from "../../trace/causes/make.ts";

/**
 * What a repetition that passed no longer does of what the last pass did, as one sentence; null when nothing is lost. A trace that
 * cannot be read says nothing against it.
 */
export async function whyLessDone(
  deps: Deps,
  { replay_trace_id }: Pick<ShownReplay, "replay_trace_id">,
  options: TaskOptions = {},
): Promise<string | null> {
  const trace = replay_trace_id === null ? null : await findTrace(deps.store.records, replay_trace_id);
  const lost =
    trace &&
    (await withCauseInput(deps, trace, (input) => deps.tasks.run<string[]>("gate.effects", input, options)));
  return lost && lost.length > 0 ? `With the change the scenario passes, but ${lost.join(", and ")}.` : null;
}
