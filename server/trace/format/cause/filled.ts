import { oneLine } from "../error-text.ts";
import type { SeenElement } from "./page-view.ts";
import type { RunFacts, Step } from "./run-facts.ts";
import type { SeenPage } from "./types.ts";
import { elementsOf } from "./wanted.ts";

/** A field that holds something else than what an action filled it with. */
export interface Refilled {
  step: Step;
  field: SeenElement;
  value: string;
}

const FILLS = /(?:^|\.)fill$/;
const WRITES = /(?:^|\.)(?:fill|clear|type|press|pressSequentially)$/;
export const OPENS = /(?:^|\.)(?:goto|reload|goBack|goForward)$/;

/** The step that opened the page anew after another one; undefined where none did. */
export const openedAfter = ({ steps }: RunFacts, { seq, page }: Step): Step | undefined =>
  steps.find((one) => OPENS.test(one.name) && one.seq > seq && one.page === page);

/** More are no form that a person would fill in. */
const MOST = 12;
/** Pages keep so much of a value. */
const KEPT = 300;

/** What fields were filled with before an action, since a page was opened and with nothing written into them afterwards; the last one first. */
export function fillsBefore({ steps }: RunFacts, action: Step): Step[] {
  const opened = steps.findLast(({ name, seq }) => OPENS.test(name) && seq < action.seq)?.seq ?? 0;
  const bySelector = new Map(
    steps
      .filter(
        (step) =>
          WRITES.test(step.name) && step.seq > opened && step.seq < action.seq && step.page === action.page,
      )
      .slice(-MOST)
      .map((step) => [step.params.selector, step]),
  );
  return [...bySelector.values()].filter(isFill).toSorted((a, b) => b.seq - a.seq);
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
    if (!field || !isWritten(field)) return [];
    const value = field.attributes.value ?? "";
    return oneLine(value) === oneLine(String(step.params.value).slice(0, KEPT))
      ? []
      : [{ step, field, value }];
  });
}

const isFill = ({ kind, name, isFailed, params }: Step): boolean =>
  kind === "agent.action" &&
  !isFailed &&
  FILLS.test(name) &&
  typeof params.selector === "string" &&
  typeof params.value === "string" &&
  params.value.trim() !== "";

/** Of a secret nothing is recorded. */
const isWritten = ({ tag, attributes }: SeenElement): boolean =>
  tag === "textarea" || (tag === "input" && !/^(?:password|hidden|file)$/.test(attributes.type ?? ""));
