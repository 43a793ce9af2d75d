import { oneLine } from "../../../error-text.ts";
import { filterOf } from "../../detectors/elements/filtered.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { elementsOf, lastPartOf, wantedBy } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence } from "../../types.ts";
import { bareOf } from "../../words.ts";

/** What a step looked for in vain, by its words. */
export interface Sought {
  text: string;
  /** What the page has of the same kind: where one of many is missing, the others. */
  others: SeenElement[];
}

/** Roles of what pages have many of, one for each thing. */
const MANY = new Set("row listitem link cell gridcell option treeitem article".split(" "));
const SHORTEST = 3;
const MOST_OTHERS = 200;

/** The words that the failed step looked for; null where it names none, or they stand in an element that it found. */
export function soughtBy(evidence: Evidence): Sought | null {
  const { failed, run } = evidence;
  const elements = run.page?.elements ?? [];
  if (!isMissing(evidence)) {
    const text = bareOf(failed.expected ?? "");
    if (failed.received === null || text.length < SHORTEST || /^\/.*\/[a-z]*$|^\d+$/.test(text)) return null;
    return { text, others: [] };
  }
  const filter = filterOf(evidence);
  if (filter) return { text: filter.text, others: elementsOf(filter.base, elements).slice(0, MOST_OTHERS) };
  const wanted = wantedBy(lastPartOf(targetOf(evidence)));
  const { role, name } = wanted;
  if (name === null || name.length < SHORTEST || wanted.label || wanted.attribute !== null) return null;
  const ofSite = inBarsOf(elements);
  // What leads through the site is none of a list of things.
  const isLeading = /getByRole\(['"]navigation['"]/.test(targetOf(evidence));
  const others = (isLeading ? [] : elements).filter(
    (one) =>
      one.role === role &&
      !ofSite.has(one) &&
      !one.isHidden &&
      one.name !== "" &&
      (isThing(role, name) || isAction(name, one.name)),
  );
  return { text: oneLine(name), others: others.slice(0, MOST_OTHERS) };
}

/** The head and the foot of a page, and what leads through the site, list no things of it. */
function inBarsOf(elements: readonly SeenElement[]): Set<SeenElement> {
  const found = new Set<SeenElement>();
  let bar: number | null = null;
  for (const one of elements) {
    if (bar !== null && one.depth <= bar) bar = null;
    if (bar !== null) found.add(one);
    else if (/^(?:header|footer|nav)$/.test(one.tag) || /^(?:banner|contentinfo|navigation)$/.test(one.role))
      bar = one.depth;
  }
  return found;
}

/** What a link does that is none of a list of things: “New ticket”. */
const COMMAND = /^(?:new|add|create|edit|delete|remove|save|cancel|back|log|sign|show|see|all|my)\b/i;

const isThing = (role: string | null, name: string): boolean =>
  role !== null && MANY.has(role) && !(role === "link" && COMMAND.test(name));

/** “Reserve Dune” beside “Reserve Piranesi”: the same action on another thing. */
const isAction = (wanted: string, name: string): boolean =>
  wanted.includes(" ") && name.split(" ")[0] === wanted.split(" ")[0];

/** Whether a text holds the sought words, however they are written. */
export const holds = (text: string, sought: string): boolean =>
  text.toLowerCase().includes(sought.toLowerCase());
