import { isMissing } from "../detectors/element.ts";
import { isAsked, isSame, PRESSES } from "../detectors/idle.ts";
import { actionBefore } from "../select.ts";
import type { Evidence, Finding } from "../types.ts";
import { quoted } from "../words.ts";

/** An action after which the page stood as before and asked for nothing, where the next step looked for something in vain. */
export function detectNothingDone(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  if (!action || !run.page || !run.before || !isMissing(evidence) || !PRESSES.test(action.name)) return [];
  if (run.page.shot.ts < action.end || !isSame(run.before.elements, run.page.elements)) return [];
  const from = Math.max(action.ts, run.before.shot.ts);
  if (run.facts.exchanges.some((one) => one.ts >= from && one.ts <= failed.to && isAsked(one, run.facts)))
    return [];
  return [
    {
      kind: "page_changed",
      title: `${quoted(action.title, 120)} seems to have done nothing: the page stayed as it was and asked for nothing`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, run.page.shot.seq],
      ts: action.end,
      is_new: null,
      weight: 0.74,
      about: `idle ${action.title}`,
    },
  ];
}
