import { aroundOf, foundBy, insideOf, knownActs } from "../../acts.ts";
import type { SeenElement } from "../../page-view.ts";
import { requestText, STORING } from "../../sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { told } from "../../wanted.ts";
import { bareOf, quoted } from "../../words.ts";
import { TYPES } from "../requests/search.ts";
import { holds } from "../requests/sought.ts";
import { textOf } from "../requests/unsaid.ts";

const FIELD = /^(?:input|textarea)$/;
const SHORTEST = 3;

/**
 * A field without a name that the test filled in, in a form whose other fields have one, and whose text the test then looks for
 * in vain: browsers send no such field (HTML, constructing the entry list).
 */
export function detectNamelessTyped(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const wanted = bareOf(failed.expected ?? "");
  if (wanted.length < SHORTEST || holds(failed.received ?? "", wanted)) return [];
  const act = knownActs(evidence).findLast(
    ({ step }) => TYPES.test(step.name) && holds(wanted, textOf(step) ?? "") && step.end <= failed.from,
  );
  const field = act && foundBy(act);
  if (!act || !field || !isNamelessAmong(field, act.met.elements)) return [];
  const writes = run.facts.exchanges.filter(
    (one) => one.ts >= act.step.ts && one.ts <= failed.to && STORING.has(one.method),
  );
  const text = textOf(act.step)!;
  if (writes.length === 0 || writes.some((one) => holds(requestText(one, run.bodies), text))) return [];
  return [
    {
      kind: "page_changed",
      title: `${quoted(act.step.title, 100)} filled in ${told(field)} that has no name, beside fields that have one: browsers send no such field with its form`,
      detail: null,
      step_id: act.step.step_id,
      events: [act.step.seq, act.met.shot.seq],
      // It matters where the form is sent.
      ts: writes[0]!.ts,
      is_new: null,
      weight: 0.9,
      about: `nameless ${act.step.seq}`,
    },
  ];
}

function isNamelessAmong(field: SeenElement, elements: readonly SeenElement[]): boolean {
  if (!FIELD.test(field.tag) || field.attributes.name) return false;
  const form = aroundOf(elements, field).find(({ tag }) => tag === "form");
  return (
    form !== undefined && insideOf(elements, form).some((one) => FIELD.test(one.tag) && one.attributes.name)
  );
}
