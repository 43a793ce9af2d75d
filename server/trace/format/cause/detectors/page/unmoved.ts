import type { Step } from "../../run-facts.ts";
import { actionBefore, counterpart, momentIn } from "../../select.ts";
import { isSameText, shownBy } from "../../shown-by.ts";
import { targetOf } from "../../target.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { foundWithin } from "../../wanted.ts";
import { bareOf, quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { isMissing } from "../elements/element.ts";
import { isAskedBy } from "./idle.ts";

/** A request that is missing tells more. */
const WEIGHT = 0.56;

/** A text that stood there before the last action and stands there still, where every pass has another by then without asking a server for it. */
export function detectUnmoved(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { before, page } = run;
  const action = actionBefore(run.facts, failed);
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (passes.length === 0 || !action || !before || !page || !want || !got || isMissing(evidence)) return [];
  const target = targetOf(evidence);
  if (![before, page].every((seen) => shows(seen, target, got)) || hasAsked(run, action, failed.to))
    return [];
  const isMovedAlone = passes.every((pass) => {
    const same = counterpart(run.facts, action, pass.facts);
    const by = momentIn(pass.facts, run.facts, failed);
    return same !== null && by !== null && !same.isFailed && !hasAsked(pass, same, by);
  });
  if (!isMovedAlone) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(action)} left ${quoted(got, 60)} as it was, where the last pass has ${quoted(want, 60)} by then; neither asks a server for it${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, page.shot.seq, ...(script === null ? [] : [script.seq])],
      ts: failed.to,
      is_new: true,
      weight: WEIGHT,
      about: `unmoved ${action.seq}`,
    },
  ];
}

/** Whether the one element that is looked at says this on a page, or a text with it. */
function shows({ elements }: SeenPage, target: string, text: string): boolean {
  const [found, ...others] = foundWithin(target, elements);
  return !!found && others.length === 0 && shownBy(found, elements).some((one) => isSameText(one, text));
}

const hasAsked = ({ facts }: RunEvidence, action: Step, by: number): boolean =>
  facts.exchanges.some((one) => one.ts >= action.ts && one.ts <= by && isAskedBy(action, one, facts));
