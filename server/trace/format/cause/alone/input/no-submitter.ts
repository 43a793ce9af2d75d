import { isWrite } from "../../exchanges/sent.ts";
import { foundBy, knownActs } from "../../page/acts.ts";
import { fieldOf, givenBefore } from "../../page/filled.ts";
import { aroundOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isTracker, quotedStep } from "../../words.ts";
import { withoutSubmitter } from "../page/idle.ts";
import { isReport } from "../requests/reports.ts";

/** A form that the test filled in and whose only button it pressed, which by its type sends no form: nothing was sent since. */
export function detectNoSubmitter(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const act = action && knownActs(evidence).findLast(({ step }) => step.seq === action.seq);
  const pressed = act ? foundBy(act) : null;
  if (!action || !act || !pressed || !/(?:^|\.)(?:click|tap)$/.test(action.name) || !isMissing(evidence))
    return [];
  const { elements } = act.met;
  const words = withoutSubmitter(pressed, elements);
  const form = aroundOf(elements, pressed).find(({ tag }) => tag === "form");
  const isFilled = givenBefore(run.facts, action).some((step) => {
    const field = fieldOf(step, elements);
    return field !== null && form !== undefined && aroundOf(elements, field).includes(form);
  });
  const isSent = run.facts.exchanges.some(
    (one) =>
      one.ts >= action.ts - 5 &&
      one.ts <= failed.to &&
      (one.type === "document" || isWrite(one, run)) &&
      !isTracker(one.url) &&
      !isReport(run, one),
  );
  if (words === null || !isFilled || isSent) return [];
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(action)} sent nothing: ${words}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, act.met.shot.seq],
      ts: action.end,
      is_new: null,
      weight: 0.88,
      about: `unsubmitted ${action.title}`,
    },
  ];
}
