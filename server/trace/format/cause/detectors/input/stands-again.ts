import { isBeside } from "../../alone/beside.ts";
import { isWrite } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { elementsOf, foundWithin, told } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { counterpart } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isForeign, isTracker, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const PRESSES = /(?:^|\.)(?:click|tap)$/;
const MOST = 20;

/**
 * What was pressed stands there again once another document was loaded, and the failed step looks at it, as no pass has it any
 * more: a bar to agree to, a hint to close. Of what was sent with it the server tells.
 */
export function detectStandsAgain(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page, facts } = run;
  if (passes.length === 0 || !page) return [];
  const looked = new Set(foundWithin(targetOf(evidence), page.elements));
  const isLookedAt = (one: SeenElement) =>
    looked.has(one) || aroundOf(page.elements, one).some((other) => looked.has(other));
  const pressed = facts.steps.filter(
    (step) =>
      PRESSES.test(step.name) && !step.isFailed && step.end <= failed.from && step.page === page.shot.page,
  );
  for (const step of pressed.slice(-MOST).toReversed()) {
    const [element, ...others] = pressedOn(page.elements, step);
    const opened = element && others.length === 0 && isLookedAt(element) ? openedSince(run, step) : undefined;
    if (!element || !opened || hasSent(run, step, opened)) continue;
    if (!passes.every((pass) => isGoneIn(pass, step, evidence))) continue;
    const script = changedScript(evidence);
    return [
      {
        kind: "page_changed",
        title: `The page has ${told(element)} again, though ${quotedStep(step)} had been done before ${requestOf(opened, facts)} was loaded, and no pass has it by then: that was not remembered in the browser's storage or a cookie, since nothing is sent of it${script === null ? "" : `; ${script.words}`}`,
        detail: null,
        step_id: step.step_id,
        events: [step.seq, opened.seq, page.shot.seq, ...(script === null ? [] : [script.seq])],
        ts: failed.to,
        is_new: true,
        weight: 0.86,
        about: `lost ${step.seq}`,
      },
    ];
  }
  return [];
}

const pressedOn = (elements: readonly SeenElement[], { params: { selector } }: Step): SeenElement[] =>
  typeof selector === "string" ? elementsOf(selector, elements) : [];

/** The first document that was loaded after an action. */
const openedSince = ({ facts, page }: RunEvidence, { end }: Step): Exchange | undefined =>
  facts.exchanges.find(
    (one) =>
      one.type === "document" && one.ts >= end && one.page === page?.shot.page && one.ts <= page.shot.ts,
  );

const hasSent = (run: RunEvidence, step: Step, opened: Exchange): boolean =>
  run.facts.exchanges.some(
    (one) =>
      one.ts >= step.ts - 5 &&
      one.ts < opened.ts &&
      isWrite(one, run) &&
      !isBeside(one) &&
      !isTracker(one.url) &&
      !isForeign(one.url, run.facts),
  );

/** Whether a pass did the same and has neither what is called so on the same page nor what the step looks at. */
function isGoneIn(pass: RunEvidence, step: Step, evidence: Evidence): boolean {
  const { facts, page } = evidence.run;
  const same = counterpart(facts, step, pass.facts);
  return (
    same !== null &&
    !same.isFailed &&
    pass.page !== null &&
    pass.facts.normaliser.url(pass.page.shot.url) === facts.normaliser.url(page!.shot.url) &&
    pressedOn(pass.page.elements, same).length === 0 &&
    foundWithin(targetOf(evidence), pass.page.elements).length === 0
  );
}
