import type { SeenElement } from "../page-view.ts";
import { both, type Certainty, NO, YES } from "./certainty.ts";
import { PROPERTIES, type StyleRule } from "./rules.ts";
import { matches } from "./selector.ts";

/** How an element is withheld: it cannot be seen, or the pointer does not reach it. */
export type Withholding = "unseen" | "untouched";

/** The rule that withholds an element, and the element that it is about: that one, or one around it. */
export interface HidingRule {
  rule: StyleRule;
  on: SeenElement;
}

const MOST_AROUND = 60;
/** Rules that are held against an element and those around it. */
const MOST_MATCHED = 100_000;

const HIDES: Record<string, RegExp> = {
  display: /^none$/,
  visibility: /^(?:hidden|collapse)$/,
  "content-visibility": /^hidden$/,
  "pointer-events": /^none$/,
};
const INHERITED = new Set(["visibility", "pointer-events"]);
const PASSED_ON = /^(?:inherit|unset)$/;
const ZERO = /^0(?:px|%|r?em)?$/;

const LOOKED_AT: Record<Withholding, string[]> = {
  unseen: ["display", "visibility", "content-visibility"],
  untouched: ["pointer-events"],
};
/** Of the element itself: without one of them it has no place on the page. */
const SIZES = ["width", "height", "max-width", "max-height"];

/**
 * The rule of a page's style sheets that withholds an element of it: the one that wins there, as CSS cascades.
 * @returns null where none does for certain
 */
export function hidingRule(
  elements: readonly SeenElement[],
  element: SeenElement,
  rules: readonly StyleRule[],
  by: Withholding,
): HidingRule | null {
  // What markup hides no rule needs to.
  if (element.isHidden) return null;
  const chain = chainOf(elements, element);
  const deepest = chain.length - 1;
  let room = MOST_MATCHED;
  for (const property of LOOKED_AT[by]) {
    const about = rules.filter((one) => one.property === property);
    for (let at = deepest; at >= 0; at--) {
      room -= about.length;
      if (room < 0) return null;
      if (chain[at]!.isInShadow || (property === "content-visibility" && at === deepest)) continue;
      const won = winner(about, chain, at, property);
      if (won && won !== "other" && HIDES[property]!.test(won.value)) return { rule: won, on: chain[at]! };
      const isPassedOn = won === null || (won !== "other" && PASSED_ON.test(won.value));
      if (INHERITED.has(property) && !isPassedOn) break;
    }
  }
  if (by === "untouched" || chain[deepest]!.isInShadow) return null;
  for (const property of SIZES) {
    const won = winner(
      rules.filter((one) => one.property === property),
      chain,
      deepest,
      property,
    );
    if (won && won !== "other" && ZERO.test(won.value)) return { rule: won, on: element };
  }
  return null;
}

/** An element with those around it, from the outermost of the nearest ones. */
function chainOf(elements: readonly SeenElement[], element: SeenElement): SeenElement[] {
  const chain = [element];
  for (let at = elements.indexOf(element) - 1; at >= 0 && chain.length < MOST_AROUND; at--)
    if (elements[at]!.depth < chain[0]!.depth) chain.unshift(elements[at]!);
  return chain;
}

/** The declaration that holds of an element; `other` where its own style does, or something that nothing recorded tells. */
function winner(
  rules: readonly StyleRule[],
  chain: readonly SeenElement[],
  at: number,
  property: string,
): StyleRule | "other" | null {
  let best: StyleRule | null = null;
  let certainty: Certainty = NO;
  for (const rule of rules) {
    if (best !== null && !isStronger(rule, best)) continue;
    const held = both(rule.holds, matches(rule.selector, chain, at));
    if (held === NO) continue;
    best = rule;
    certainty = held;
  }
  const own = ownStyle(chain[at]!, property);
  if (own !== null && (own === "important" || !best?.isImportant)) return "other";
  return best !== null && certainty !== YES ? "other" : best;
}

/** Whether a later declaration goes before an earlier one. */
function isStronger(rule: StyleRule, than: StyleRule): boolean {
  if (rule.isImportant !== than.isImportant) return rule.isImportant;
  if (rule.layer !== than.layer) return rule.layer > than.layer !== rule.isImportant;
  return rule.selector.specificity >= than.selector.specificity;
}

/** Whether an element's own style says something of a property. */
function ownStyle({ style }: SeenElement, property: string): "plain" | "important" | null {
  if (style === undefined || !PROPERTIES.has(property)) return null;
  const found = style.split(";").filter(
    (one) =>
      one
        .slice(0, Math.max(0, one.indexOf(":")))
        .trim()
        .toLowerCase() === property,
  );
  if (found.length === 0) return null;
  return found.some((one) => /!\s*important\s*$/i.test(one)) ? "important" : "plain";
}
