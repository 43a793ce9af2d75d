import type { SeenElement } from "./page-view.ts";
import type { PageShot, RunFacts, Step } from "./run-facts.ts";
import { counterpart, GESTURES } from "./select.ts";
import type { Failed, RunEvidence, SeenPage } from "./types.ts";

/** What an action met: the page as it stood then, and as it left it where the action typed. */
export interface Act {
  step: Step;
  met: SeenPage;
  left: SeenPage | null;
}

/** The pictures of an action's page. */
export interface ActShots {
  step: Step;
  met: PageShot;
  left: PageShot | null;
}

/** A form is filled in with so many actions, and each of them may have gone elsewhere. */
const MOST = 8;

/** What types key by key, so that its text can go to several fields. */
export const TYPES = /keyboard\.?(?:type|insertText)|pressSequentially|(?:^|\.)type$/i;

/** The last actions up to the end of the failed step that the recorder took a picture of, oldest first. */
export function actShots(facts: RunFacts, failed: Failed): ActShots[] {
  const actions = facts.steps.filter(
    ({ kind, name, ts }) => kind === "agent.action" && GESTURES.test(name) && ts <= failed.to,
  );
  return shotsOf(facts, actions).slice(-MOST);
}

/** The same actions of a pass. */
export function passActShots(run: RunFacts, acts: readonly ActShots[], pass: RunFacts): ActShots[] {
  return shotsOf(
    pass,
    acts.flatMap(({ step }) => counterpart(run, step, pass) ?? []),
  );
}

function shotsOf({ pages }: RunFacts, steps: readonly Step[]): ActShots[] {
  const byStep = Map.groupBy(pages, ({ step_id }) => step_id);
  return steps.flatMap((step) => {
    const own = (step.step_id !== null && byStep.get(step.step_id)) || [];
    const met = own.find(({ phase }) => phase === "action");
    const left = TYPES.test(step.name) ? own.findLast(({ phase }) => phase === "after") : undefined;
    return met ? [{ step, met, left: left ?? null }] : [];
  });
}

/** The element that an action found, of a drag what it took hold of. */
export function foundBy({ met: { shot, elements } }: Act): SeenElement | null {
  const call = shot.snapshot?.split("@").slice(1).join("@");
  return elements.find((one) => one.foundBy === "" || (one.foundBy && one.foundBy === call)) ?? null;
}

/** What a pass did where this run did that action; null where its page was not recorded. */
export function sameAct({ facts }: RunEvidence, { step }: Act, pass: RunEvidence): Act | null {
  const same = counterpart(facts, step, pass.facts);
  return (same && pass.acts?.find((one) => one.step.seq === same.seq)) ?? null;
}

/** What an element stands in, the innermost first. */
export function aroundOf(elements: readonly SeenElement[], element: SeenElement): SeenElement[] {
  const around: SeenElement[] = [];
  let { depth } = element;
  for (let at = elements.indexOf(element) - 1; at >= 0 && depth > 0; at--) {
    const one = elements[at]!;
    if (one.depth >= depth) continue;
    around.push(one);
    depth = one.depth;
  }
  return around;
}
