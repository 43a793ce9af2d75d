import { isWithheld } from "../../detectors/elements/element.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { knownActs, TYPES } from "../../page/acts.ts";
import { isFill } from "../../page/field-values.ts";
import { enteredBefore, fieldOf } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { wantedOn } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { nameOf } from "../../page/written.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { textOf } from "../requests/unsaid.ts";
import { formOf } from "./forms.ts";

/** A field that took only the beginning of what it was given, for its own maxlength, where a write was refused since, a control of its form is held back, or the test looks for the whole. */
export function detectCutByLimit(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const action = actionBefore(facts, failed);
  if (!page || !action) return [];
  const gone = cutBefore(evidence);
  if (gone) return [gone];
  const isHeldBack = formOfDisabled(evidence);
  for (const step of enteredBefore(facts, isHeldBack ? failed.step! : action)) {
    const field = fieldOf(step, page.elements);
    const [given, held] = [textOf(step), field?.attributes.value ?? ""];
    const limit = field?.attributes.maxlength;
    if (!field || given === null || held === "" || limit !== String(held.length)) continue;
    const isCut = given.length > held.length && given.startsWith(held);
    const isRefused = facts.exchanges.some(
      (one) => one.ts > step.ts && one.ts <= failed.to && isWrite(one, run) && isFailedExchange(one),
    );
    if (!isCut) continue;
    const cut = cutOff(evidence, { step, field, given, held });
    if (isRefused || failed.expected?.includes(given)) return [cut];
    // What is held back is told with it.
    if (isHeldBack?.includes(field)) return [{ ...cut, weight: 0.8 }];
  }
  return [];
}

/** What stands in the form of an element that the step found disabled; null of any other. */
function formOfDisabled(evidence: Evidence): SeenElement[] | null {
  const { run, failed } = evidence;
  const elements = run.page?.elements ?? [];
  const [held, ...others] = failed.step && isWithheld(evidence) ? wantedOn(evidence, elements) : [];
  const form = held && others.length === 0 && "disabled" in held.attributes ? formOf(elements, held) : null;
  return form && insideOf(elements, form);
}

interface Cut {
  step: Step;
  field: SeenElement;
  given: string;
  held: string;
}

const cutOff = ({ run, failed }: Evidence, { step, field, given, held }: Cut): Finding => ({
  kind: "page_changed",
  title: `The field ${quoted(nameOf(field), 60)} took only ${quoted(held, 60)} of ${quoted(given, 60)}, which the test gave it: it has maxlength="${field.attributes.maxlength}"`,
  detail: null,
  step_id: step.step_id,
  events: [step.seq, ...(run.page ? [run.page.shot.seq] : [])],
  ts: failed.from,
  is_new: null,
  weight: 0.95,
  about: `maxlength ${nameOf(field)}`,
});

const MOST_STEPS = 400;

/** A text that the test wants whole, of which the page has the beginning alone, and that an earlier page's field had no room for: it may be gone since, or opened anew. */
function cutBefore(evidence: Evidence): Finding | null {
  const { run, failed } = evidence;
  const wanted = `${failed.expected ?? ""} ${targetOf(evidence)}`;
  const pages = [...knownActs(evidence).flatMap(({ met, left }) => [met, ...(left ? [left] : [])]), run.page];
  const typed = run.facts.steps
    .slice(-MOST_STEPS)
    .filter((step) => step.end <= failed.from && (TYPES.test(step.name) || isFill(step)));
  for (const step of typed.toReversed()) {
    const given = textOf(step);
    if (given === null || given.length < SHORTEST || !wanted.includes(given)) continue;
    for (const page of pages.toReversed()) {
      const field = page && fieldOf(step, page.elements);
      const limit = Number(field?.attributes.maxlength ?? given.length);
      if (!field || limit >= given.length || limit < 1) continue;
      const held = given.slice(0, limit);
      const isShown = run.page?.elements.some(
        ({ own, attributes }) => holds(own, held.trim()) || attributes.value === held,
      );
      if (isShown) return cutOff(evidence, { step, field, given, held });
    }
  }
  return null;
}

const SHORTEST = 5;
/** Frameworks put a text together of pieces. */
const holds = (own: string, held: string): boolean =>
  own.replace(/\s+/g, "").includes(held.replace(/\s+/g, ""));
