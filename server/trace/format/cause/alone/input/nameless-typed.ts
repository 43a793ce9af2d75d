import { requestText, STORING } from "../../exchanges/sent.ts";
import { fieldsOf } from "../../exchanges/sent-form.ts";
import { foundBy, knownActs } from "../../page/acts.ts";
import { SETS } from "../../page/field-values.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { told } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Act, Evidence, Finding } from "../../types.ts";
import { bareOf, quotedStep, requestOf } from "../../words.ts";
import { TYPES } from "../requests/search.ts";
import { holds } from "../requests/sought.ts";
import { textOf } from "../requests/unsaid.ts";

const FIELD = /^(?:input|select|textarea)$/;
const SHORTEST = 3;

/** Fields without a name that the test filled in, in a form whose other fields have one: browsers send no such field (HTML, constructing the entry list). */
export function detectNamelessTyped(evidence: Evidence): Finding[] {
  return [leftOutOfForm(evidence), missedAfterwards(evidence)].flatMap((found) => found ?? []).slice(0, 1);
}

/** One that the browser left out of the form that it sent next. */
function leftOutOfForm(evidence: Evidence): Finding | null {
  const { run, failed } = evidence;
  for (const act of filledActs(evidence).toReversed()) {
    const nameless = namelessOf(act);
    const sent = run.facts.exchanges.find(
      (one) =>
        one.ts >= act.step.ts && one.ts <= failed.to && one.type === "document" && STORING.has(one.method),
    );
    if (!nameless || !sent) continue;
    const fields = fieldsOf(requestText(sent, run.bodies), sent) ?? [];
    if (!fields.some(([name]) => nameless.siblings.has(name))) continue;
    const status = sent.status === null ? "" : ` and answered with ${sent.status}`;
    return {
      ...findingOf(act, nameless.field, sent),
      title: `${quotedStep(act.step)} filled in ${told(nameless.field)} that has no name, so that ${requestOf(sent, run.facts)} was sent without it${status}: browsers send no field that has none`,
      weight: mayBeOfPage(nameless.field, sent) ? 0.6 : 0.99,
    };
  }
  return null;
}

/** A box by which a page is told what to do itself, such as to remember what was written, is sent by nobody, and the form goes well without it. */
const mayBeOfPage = ({ role }: SeenElement, { status }: Exchange): boolean =>
  role === "checkbox" && status !== null && status < 400;

/** One whose text the test then looks for in vain. */
function missedAfterwards(evidence: Evidence): Finding | null {
  const { run, failed } = evidence;
  const wanted = bareOf(failed.expected ?? "");
  if (wanted.length < SHORTEST || holds(failed.received ?? "", wanted)) return null;
  const act = filledActs(evidence).findLast(
    ({ step }) => TYPES.test(step.name) && holds(wanted, textOf(step) ?? ""),
  );
  const nameless = act && namelessOf(act);
  if (!act || !nameless) return null;
  const writes = run.facts.exchanges.filter(
    (one) => one.ts >= act.step.ts && one.ts <= failed.to && STORING.has(one.method),
  );
  const text = textOf(act.step)!;
  const [first] = writes;
  if (!first || writes.some((one) => holds(requestText(one, run.bodies), text))) return null;
  const found = findingOf(act, nameless.field, first);
  if (first.status !== 400 && first.status !== 422) return found;
  // Recorders keep no form with a file in it: that it was refused tells as much.
  return {
    ...found,
    title: `${found.title}; ${requestOf(first, run.facts)} was answered with ${first.status}`,
    weight: 0.99,
  };
}

/** What the test typed or picked, oldest first. */
const filledActs = (evidence: Evidence): Act[] =>
  knownActs(evidence).filter(
    ({ step }) => (TYPES.test(step.name) || SETS.test(step.name)) && step.end <= evidence.failed.from,
  );

function findingOf({ step, met }: Act, field: SeenElement, sent: Exchange): Finding {
  return {
    kind: "page_changed",
    title: `${quotedStep(step)} filled in ${told(field)} that has no name, beside fields that have one: browsers send no such field with its form`,
    detail: null,
    step_id: step.step_id,
    events: [step.seq, met.shot.seq],
    // It matters where the form is sent.
    ts: sent.ts,
    is_new: null,
    weight: 0.9,
    about: `nameless ${step.seq}`,
  };
}

/** The field that an action found, where it has no name and others of its form have; with the names of those. */
function namelessOf(act: Act): { field: SeenElement; siblings: Set<string> } | null {
  const { elements } = act.met;
  const field = foundBy(act);
  if (!field || !FIELD.test(field.tag) || field.attributes.name) return null;
  const form = aroundOf(elements, field).find(({ tag }) => tag === "form");
  if (!form || ticksOthers(act, form, field) || isPickedFrom(field)) return null;
  const names = insideOf(elements, form).flatMap(({ tag, attributes }) =>
    FIELD.test(tag) && attributes.name ? [attributes.name] : [],
  );
  return names.length === 0 ? null : { field, siblings: new Set(names) };
}

/** Whether what is typed only looks for what is then picked, and sent by a hidden field. */
const isPickedFrom = ({ tag, role, attributes }: SeenElement): boolean =>
  tag === "input" && role === "combobox" && attributes.list === undefined;

/** Whether it is a box that ticks the others: such a one is sent by nobody, and has no name for that. */
const ticksOthers = ({ met: { elements } }: Act, form: SeenElement, field: SeenElement): boolean =>
  field.role === "checkbox" &&
  insideOf(elements, form).filter(({ role, attributes }) => role === "checkbox" && attributes.name).length >
    1;
