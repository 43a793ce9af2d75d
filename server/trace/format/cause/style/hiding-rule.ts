import type { SeenElement } from "../page/page-view.ts";
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
/** What leaves an element no place on the page where it shows nothing beyond it, and what gives it one all the same. */
const SIZES: [property: string, stretching: string[]][] = [
  ["max-height", ["min-height"]],
  ["max-width", ["min-width"]],
  ["height", ["min-height", "flex", "flex-grow"]],
  ["width", ["min-width", "flex", "flex-grow"]],
];

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
  const rule = by === "untouched" || chain[deepest]!.isInShadow ? null : shrinkingRule(rules, chain);
  return rule && { rule, on: element };
}

/** The rule that leaves an element no place on the page. */
function shrinkingRule(rules: readonly StyleRule[], chain: readonly SeenElement[]): StyleRule | null {
  const wins = (property: string) => {
    const about = rules.filter((one) => one.property === property);
    return winner(about, chain, chain.length - 1, property);
  };
  const overflow = wins("overflow");
  if (overflow === null || overflow === "other" || !/^(?:hidden|clip)$/.test(overflow.value)) return null;
  for (const [property, stretching] of SIZES) {
    const won = wins(property);
    const isZero = won !== null && won !== "other" && ZERO.test(won.value);
    if (isZero && stretching.every((one) => wins(one) === null)) return won;
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
