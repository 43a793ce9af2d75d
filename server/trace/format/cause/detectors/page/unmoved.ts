import { knownActs, sameAct } from "../../page/acts.ts";
import { isSameText, shownAt } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
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
  const isStill = [before, page].every((seen) => shownAt(seen, target).some((one) => isSameText(one, got)));
  if (!isStill || hasAsked(run, action, failed.to)) return [];
  const isMovedAlone = passes.every((pass) => {
    const same = counterpart(run.facts, action, pass.facts);
    const by = momentIn(pass.facts, run.facts, failed);
    return same !== null && by !== null && !same.isFailed && !hasAsked(pass, same, by);
  });
  if (!isMovedAlone) return [];
  const script = changedScript(evidence);
  const words =
    partedBefore(evidence, target) ??
    `${quotedStep(action)} left ${quoted(got, 60)} as it was, where the last pass has ${quoted(want, 60)} by then; neither asks a server for it`;
  return [
    {
      kind: "page_changed",
      title: `${words}${script === null ? "" : `; ${script.words}`}`,
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

/** Where the text was another one than in every pass before the last action already: after which one it became so; null where it was not, or that is not known. */
function partedBefore(evidence: Evidence, target: string): string | null {
  const { run, passes } = evidence;
  const known = knownActs(evidence).flatMap((act) => {
    const there = passes.map((pass) => sameAct(run, act, pass));
    const [mine, ...theirs] = [act, ...there].map((one) => one && shownAt(one.met, target)[0]);
    const [usual] = theirs;
    const isKnown =
      mine != null && usual != null && theirs.every((one) => one != null && isSameText(one, usual));
    return isKnown ? [{ step: act.step, mine, usual }] : [];
  });
  const at = known.findIndex(({ mine, usual }) => !isSameText(mine, usual));
  if (at < 0) return null;
  const { step, mine, usual } = known[at]!;
  const usually = `where the last pass has ${quoted(usual, 60)}`;
  const cause = known[at - 1]?.step;
  return cause
    ? `After ${quotedStep(cause)} the page had ${quoted(mine, 60)}, ${usually}`
    : `The page had ${quoted(mine, 60)} before ${quotedStep(step)} already, ${usually}`;
}

const hasAsked = ({ facts }: RunEvidence, action: Step, by: number): boolean =>
  facts.exchanges.some((one) => one.ts >= action.ts && one.ts <= by && isAskedBy(action, one, facts));
