import { oneLine } from "../../../error-text.ts";
import { knownActs } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, wantedOn } from "../../page/wanted.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, SeenPage } from "../../types.ts";

const LISTED = new Set(["listitem", "row", "article"]);
const MOST = 200;

/** The lists of a page: what stands on one level in one form, each in its order. */
export function listsOn(elements: readonly SeenElement[]): SeenElement[][] {
  const items = elements.filter(
    (one, at) =>
      LISTED.has(one.role) && !one.isHidden && one.text !== "" && elements[at + 1]?.role !== "columnheader",
  );
  const byForm = Map.groupBy(
    items,
    ({ tag, role, depth, attributes }) => `${tag} ${role} ${depth} ${attributes.class ?? ""}`,
  );
  return [...byForm.values()].map((all) => all.slice(0, MOST));
}

/** What a page lists in one place, however its things are marked. */
export function placesOn(elements: readonly SeenElement[]): SeenElement[][] {
  const lists: SeenElement[][] = [];
  const open = new Map<string, SeenElement[]>();
  for (const [at, one] of elements.entries()) {
    for (const [key, [first]] of open) if (one.depth < first!.depth) open.delete(key);
    const isListed = LISTED.has(one.role) && !one.isHidden && one.text !== "";
    if (!isListed || elements[at + 1]?.role === "columnheader") continue;
    const key = `${one.tag} ${one.role} ${one.depth}`;
    const list = open.get(key);
    if (!list) {
      open.set(key, [one]);
      lists.push(open.get(key)!);
    } else if (list.length < MOST) list.push(one);
  }
  return lists;
}

/** The list that the failed step is about, by the texts of its things: one of these it looks at, or it counts them. */
export function listLookedAt(evidence: Evidence, elements: readonly SeenElement[]): string[] | null {
  const met = new Set([...foundWithin(targetOf(evidence), elements), ...wantedOn(evidence, elements)]);
  const { received } = evidence.failed;
  const figures = new Set(received !== null && received.length <= LONGEST ? received.match(/\d+/g) : []);
  const lists = placesOn(elements);
  const list =
    lists.find((items) => items.some((item) => met.has(item) || hasWithin(elements, item, met))) ??
    lists.find((items) => items.length > 1 && figures.has(String(items.length)));
  return list?.map(({ text }) => oneLine(text)) ?? null;
}

/** Of a text that counts things. */
const LONGEST = 60;

/** Whether one of some elements stands in a thing of a list. */
function hasWithin(
  elements: readonly SeenElement[],
  item: SeenElement,
  met: ReadonlySet<SeenElement>,
): boolean {
  for (let at = elements.indexOf(item) + 1; at < elements.length && elements[at]!.depth > item.depth; at++)
    if (met.has(elements[at]!)) return true;
  return false;
}

/** The last action before the failure, and the page that it met. */
export function lastActOf(evidence: Evidence): { action: Step; met: SeenPage } | null {
  const action = actionBefore(evidence.run.facts, evidence.failed);
  const met = action && knownActs(evidence).findLast(({ step }) => step.seq === action.seq)?.met;
  return met ? { action, met } : null;
}
