import { parse } from "postcss";
import { quoted } from "../words.ts";

const LONGEST = 4_000;
const LONGEST_SELECTOR = 80;
/** More declarations than these are another rule as a whole. */
const MOST_TOLD = 2;

/**
 * How a rule of a style sheet differs from the one of the same selector in the last pass, by its declarations: `“.busy” lost
 * “pointer-events: none”`.
 * @returns null for rules of different selectors, and for those of which more is different than a sentence holds
 */
export function ruleChange(now: string, before: string): string | null {
  const [mine, theirs] = [now, before].map(partsOf);
  if (!mine || !theirs || mine.selector !== theirs.selector) return null;
  const without = (some: string[], others: string[]) => some.filter((one) => !others.includes(one));
  const fresh = without(mine.declarations, theirs.declarations);
  const lost = without(theirs.declarations, mine.declarations);
  if (Math.max(fresh.length, lost.length) > MOST_TOLD || fresh.length + lost.length === 0) return null;
  const [has, had] = [fresh, lost].map((some) => quoted(some.join("; "), 110));
  const selector = quoted(mine.selector, LONGEST_SELECTOR);
  if (fresh.length === 0) return `${selector} lost ${had}`;
  return `${selector} has ${has}${lost.length === 0 ? ", which it has not there" : ` where that has ${had}`}`;
}

/** The last selector of a rule as it is written, with the conditions around it, and its declarations; null for what is none. */
function partsOf(rule: string): { selector: string; declarations: string[] } | null {
  const begins = rule.lastIndexOf("{");
  if (begins < 0 || rule.length > LONGEST) return null;
  try {
    const nodes = parse(rule.slice(begins + 1).replace(/\}\s*$/, "")).nodes;
    return {
      selector: rule.slice(0, begins).trim(),
      declarations: nodes.flatMap((one) =>
        one.type === "decl" ? [`${one.prop}: ${one.value}${one.important ? " !important" : ""}`] : [],
      ),
    };
  } catch {
    // What is no rule is told as it stands.
    return null;
  }
}
