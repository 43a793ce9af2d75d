import { type Held, refusalOf } from "../../alone/input/constraints.ts";
import { formOf, isSameField, isSubmit } from "../../alone/input/forms.ts";
import { troubleOn } from "../../alone/input/said.ts";
import { textOf } from "../../alone/requests/unsaid.ts";
import { isNew } from "../../compare.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { foundBy, knownActs, sameAct } from "../../page/acts.ts";
import { fieldOf, fillsBefore } from "../../page/filled.ts";
import { servedValueOf } from "../../page/form-fields.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf } from "../../page/within.ts";
import { FIELD, nameOf } from "../../page/written.ts";
import type { Moment, RunFacts, Step } from "../../run/run-facts.ts";
import { withoutFragment } from "../../run/select.ts";
import type { Act, Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, isForeign, isTracker, quoted } from "../../words.ts";
import { isSameButFigures } from "../page/idle.ts";
import { lostChoice } from "./lost-choice.ts";

const MOST_FIELDS = 60;
const CLICKS = /(?:^|\.)(?:click|dblclick|tap)$/;
const PRESSES = /(?:^|\.|keyboard)press$/i;

/** A form that the browser did not send, for a field that does not keep its own limits: no event tells it. */
export function detectRefusedField(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const act = knownActs(evidence).findLast((one) => formSentBy(one, run.facts) !== null);
  if (!act || !run.page || !isHeld(evidence, act)) return [];
  // What is another value by now, the page made itself.
  const refused = refusedIn(act, run).find(({ field }) =>
    run.page!.elements.some((one) => isSameField(one, field) && hasSame(one, field)),
  );
  if (!refused) return [];
  const { field, refusal } = refused;
  const isRefusedThere = (pass: RunEvidence): boolean => {
    const same = sameAct(run, act, pass);
    return same !== null && refusedIn(same, pass).some((one) => isSameField(one.field, field));
  };
  const lost = lostChoice(evidence, act, field);
  return [
    {
      kind: "page_message",
      title: `The browser did not send the form: its field ${quoted(nameOf(field), 60)} ${refusal}${lost?.words ?? ""}`,
      detail: null,
      step_id: act.step.step_id,
      events: [act.step.seq, act.met.shot.seq, run.page.shot.seq, ...(lost?.events ?? [])],
      ts: act.step.end,
      is_new: isNew(evidence, isRefusedThere),
      // What the browser says itself of a field that nobody sees tells more.
      weight: 0.91,
      about: `refused ${nameOf(field)}`,
      heldField: field.attributes.name ?? field.attributes.id,
    },
  ];
}

/** The fields that do not keep their own limits, of the form that an action sends. */
function refusedIn(act: Act, run: RunEvidence): { field: SeenElement; refusal: string }[] {
  const { facts } = run;
  const { elements } = act.met;
  const form = formSentBy(act, facts);
  const typed = fillsBefore(facts, act.step).map((step) => ({ step, field: fieldOf(step, elements) }));
  const fields = elements.filter(({ tag, isHidden }) => FIELD.test(tag) && !isHidden).slice(0, MOST_FIELDS);
  return fields.flatMap((field) => {
    if (formOf(elements, field) !== form || isShutOff(elements, field)) return [];
    const held = heldBy(field, elements, typed.find((one) => one.field === field)?.step);
    const refusal = refusalOf(field, { ...held, served: servedIn(act, field, run) });
    return refusal === null ? [] : [{ field, refusal }];
  });
}

/** The form that an action sends by its button, or by Enter in a field; null where it sends none, or one that is not looked through. */
function formSentBy(act: Act, facts: RunFacts): SeenElement | null {
  const { elements } = act.met;
  const button = CLICKS.test(act.step.name) ? clickedIn(act) : buttonOfEnter(act, facts);
  const form = button && formOf(elements, button);
  return form && !("novalidate" in form.attributes) && !("formnovalidate" in button.attributes) ? form : null;
}

function clickedIn(act: Act): SeenElement | null {
  const found = foundBy(act);
  return found && ([found, ...aroundOf(act.met.elements, found)].find(isSubmit) ?? null);
}

/** By Enter a field sends its form as the form's first button would. */
function buttonOfEnter(act: Act, facts: RunFacts): SeenElement | null {
  const { step, met } = act;
  if (!PRESSES.test(step.name) || step.params.key !== "Enter") return null;
  // A key goes to where the test wrote last.
  const [written] = fillsBefore(facts, step);
  const field = foundBy(act) ?? (written && fieldOf(written, met.elements));
  const form = field?.tag === "input" ? formOf(met.elements, field) : null;
  return form && (met.elements.find((one) => isSubmit(one) && formOf(met.elements, one) === form) ?? null);
}

/** Whether nothing came of sending it: the page stands as it was, but for what it says is wrong, and nothing was written or opened. */
function isHeld({ run, failed }: Evidence, { step, met }: Act): boolean {
  const page = run.page!;
  if (page.shot.ts < step.end || page.shot.page !== met.shot.page || page.shot.url !== met.shot.url)
    return false;
  const isSince = ({ ts }: Moment) => ts >= Math.max(step.ts, met.shot.ts) && ts <= failed.to;
  const isSent = run.facts.exchanges.some(
    (one) =>
      isSince(one) &&
      (one.type === "document" || isWrite(one, run)) &&
      !isTracker(one.url) &&
      !isForeign(one.url, run.facts),
  );
  return (
    !isSent &&
    !run.facts.happenings.some(isSince) &&
    (isSameButFigures(met.elements, page.elements) || troubleOn(run).length > 0)
  );
}

const isShutOff = (elements: readonly SeenElement[], field: SeenElement): boolean =>
  aroundOf(elements, field).some(
    ({ tag, attributes }) => tag === "datalist" || (tag === "fieldset" && "disabled" in attributes),
  );

/** What a field of numbers held as its page was sent; null where that is not known, or of another field, of which nobody asks. */
function servedIn({ step, met }: Act, { attributes }: SeenElement, run: RunEvidence): string | null {
  const { type, name } = attributes;
  if (type?.toLowerCase() !== "number" || !name) return null;
  const page = withoutFragment(met.shot.url);
  const sent = run.facts.exchanges.findLast(
    (one) => one.type === "document" && one.status === 200 && one.ts <= step.ts && one.url === page,
  );
  const html = sent && bodyOf(sent, run.bodies);
  return html ? servedValueOf(html, name) : null;
}

function heldBy(
  field: SeenElement,
  elements: readonly SeenElement[],
  typed: Step | undefined,
): Omit<Held, "served"> {
  const given = typed === undefined ? null : textOf(typed);
  const { type, name } = field.attributes;
  const isGroup = type === "radio" && name !== undefined;
  return {
    // No page keeps a password.
    value:
      type === "password" ? given : (field.attributes.value ?? (field.tag === "textarea" ? field.own : "")),
    isTyped: given !== null,
    isTicked: elements.some(
      (one) =>
        "checked" in one.attributes &&
        (one === field || (isGroup && one.attributes.type === "radio" && one.attributes.name === name)),
    ),
  };
}

const hasSame = (one: SeenElement, other: SeenElement): boolean =>
  one.attributes.value === other.attributes.value &&
  "checked" in one.attributes === "checked" in other.attributes;
