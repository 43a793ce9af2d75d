import type { RunFacts, Step } from "../run/run-facts.ts";
import type { SeenPage } from "../types.ts";
import { TYPES } from "./acts.ts";
import { isFill, isFilledWith, isSetting, SETS, writtenIn } from "./field-values.ts";
import type { SeenElement } from "./page-view.ts";
import { elementsOf } from "./wanted.ts";

/** A field that holds something else than what an action filled it with. */
export interface Refilled {
  step: Step;
  field: SeenElement;
  value: string;
}

const WRITES = /(?:^|\.)(?:fill|clear|type|press|pressSequentially)$/;
/** Besides, what ticks and picks, or may do so. */
const CHANGES = new RegExp(`${WRITES.source}|${SETS.source}|(?:^|\\.)(?:click|tap)$`);
export const OPENS = /(?:^|\.)(?:goto|reload|goBack|goForward)$/;

/** The step that opened the page anew after another one; undefined where none did. */
export const openedAfter = ({ steps }: RunFacts, { seq, page }: Step): Step | undefined =>
  steps.find((one) => OPENS.test(one.name) && one.seq > seq && one.page === page);

/** More are no form that a person would fill in. */
const MOST = 12;

/** What fields were filled with before an action, since a page was opened and with nothing written into them afterwards; the last one first. */
export const fillsBefore = (facts: RunFacts, action: Step): Step[] =>
  lastOnEach(facts, action, WRITES).filter(isFill).slice(0, MOST);

/** Whether one of some values is what a field was filled with before an action. */
export const isFilledIn = (values: readonly string[], facts: RunFacts, action: Step): boolean =>
  fillsBefore(facts, action).some(({ params: { value } }) => value !== "" && values.includes(String(value)));

/** The same of what was filled in or typed key by key. */
export const enteredBefore = (facts: RunFacts, action: Step): Step[] =>
  lastOnEach(facts, action, WRITES)
    .filter((step) => isFill(step) || (TYPES.test(step.name) && !step.isFailed))
    .slice(0, MOST);

/** The same of what was filled in, ticked or picked. */
export const givenBefore = (facts: RunFacts, action: Step): Step[] =>
  lastOnEach(facts, action, CHANGES).filter(isSetting).slice(0, MOST);

/** The last step of such a name on each field before an action and since a page was opened, the last one first. */
function lastOnEach({ steps }: RunFacts, action: Step, names: RegExp): Step[] {
  const opened = steps.findLast(({ name, seq }) => OPENS.test(name) && seq < action.seq)?.seq ?? 0;
  const bySelector = new Map(
    steps
      .filter(
        (step) =>
          names.test(step.name) && step.seq > opened && step.seq < action.seq && step.page === action.page,
      )
      .map((step) => [step.params.selector, step]),
  );
  return [...bySelector.values()].toSorted((a, b) => b.seq - a.seq);
}

/** The one field of a page that an action went to by its selector; null where none or several have it. */
export function fieldOf(
  { params: { selector } }: Step,
  elements: readonly SeenElement[],
): SeenElement | null {
  const [field, ...others] = typeof selector === "string" ? elementsOf(selector, elements) : [];
  return field && others.length === 0 ? field : null;
}

/**
 * Fields that were filled before an action and hold something else when it comes, the last one first.
 * @param page as the action met it
 */
export function refilledBefore(facts: RunFacts, action: Step, { elements }: SeenPage): Refilled[] {
  return fillsBefore(facts, action).flatMap((step) => {
    const field = fieldOf(step, elements);
    const value = field && writtenIn(field);
    return field === null || value === null || isFilledWith(step, value) ? [] : [{ step, field, value }];
  });
}
