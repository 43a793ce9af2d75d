import { oneLine } from "../../../error-text.ts";
import { insideOf } from "../../acts.ts";
import { writtenIn } from "../../field-values.ts";
import { ofSameTurn } from "../../keys.ts";
import type { SeenElement } from "../../page-view.ts";
import type { Exchange } from "../../run-facts.ts";
import { actionBefore } from "../../select.ts";
import { CHANGING } from "../../sent.ts";
import { targetOf } from "../../target.ts";
import type { Evidence, Finding } from "../../types.ts";
import { foundWithin } from "../../wanted.ts";
import { bareOf, isForeign, isTracker, quoted, requestOf } from "../../words.ts";
import { isMissing } from "../elements/element.ts";
import { isFailedExchange } from "../requests/requests.ts";

/** A page that goes on showing what it showed ahead of an answer, though that refused it as in every pass, which show again what was before. */
export function detectNotTakenBack(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { facts, before, page } = run;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const action = actionBefore(facts, failed);
  if (passes.length === 0 || !before || !action || want === got || want === "" || isMissing(evidence))
    return [];
  const refused = facts.exchanges.findLast(
    (one) =>
      one.ts >= action.ts - 5 && one.ts <= failed.to && isRefusedWrite(one) && !isForeign(one.url, facts),
  );
  const isMeant =
    refused !== undefined &&
    passes.every((pass) => ofSameTurn(refused, facts, pass.facts)?.status === refused.status);
  if (!isMeant) return [];
  const [was, ...others] = foundWithin(targetOf(evidence), before.elements);
  if (!was || others.length > 0) return [];
  const isOfAttribute = /toHaveAttribute/.test(failed.message);
  const now = isOfAttribute && page ? foundWithin(targetOf(evidence), page.elements) : [];
  const isShown = isOfAttribute
    ? now.length === 1 && hasTurned(was, now[0]!, want, got)
    : shownBy(was, before.elements).includes(want);
  if (!isShown) return [];
  return [
    {
      kind: "page_changed",
      title: `${targetOf(evidence)} shows ${quoted(got, 60)} since ${quoted(action.title, 80)}, and ${quoted(want, 60)} before it: ${requestOf(refused, facts)} was refused with ${refused.status}, as in the last pass, and the page did not roll back what it had shown ahead of the answer, as it does there`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [action.seq, refused.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: failed.to,
      is_new: true,
      weight: 0.9,
      about: `kept ${refused.seq}`,
    },
  ];
}

const isRefusedWrite = (one: Exchange): boolean =>
  CHANGING.has(one.method) &&
  one.type !== "api" &&
  one.status !== null &&
  isFailedExchange(one) &&
  !isTracker(one.url);

/** Whether an element has an attribute with the one value where it had the other: assertions do not say which. */
const hasTurned = (was: SeenElement, now: SeenElement, from: string, to: string): boolean =>
  Object.entries(was.attributes).some(([name, value]) => value === from && now.attributes[name] === to);

/** What an element says: a field its value, a list of options the one that is picked, by its value and by its words. */
function shownBy(element: SeenElement, elements: readonly SeenElement[]): string[] {
  if (element.tag !== "select") return [oneLine(writtenIn(element) ?? element.text)];
  const picked = insideOf(elements, element).find(
    ({ tag, attributes }) => tag === "option" && attributes.selected !== undefined,
  );
  return picked ? [picked.attributes.value ?? picked.own, picked.own] : [];
}
