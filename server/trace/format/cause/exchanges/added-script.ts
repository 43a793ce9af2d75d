import { exchangeKey } from "../run/keys.ts";
import type { Exchange, RunFacts } from "../run/run-facts.ts";
import type { Evidence } from "../types.ts";

/** What a script explains that did not load, and that the page does without. */
export const ADDED = 0.4;

/** What a script that is not there leaves undefined. A text that is no script cannot be parsed, whoever needs it. */
const MISSED = /is not defined|undefined|is not a (?:function|constructor)|\bnull\b/i;

/**
 * Whether a page asked for a script that the page of no pass asks for, has all that those have, and threw nothing for want of it: a
 * widget or a counter that somebody put beside the product.
 */
export function isAddedScript({ run, passes }: Evidence, one: Exchange): boolean {
  if (passes.length === 0 || one.type !== "script") return false;
  const key = exchangeKey(one, run.facts);
  const mine = scriptsOf(run.facts, loaded);
  const isElsewhere = passes.every(({ facts }) => {
    const theirs = scriptsOf(facts, loaded);
    return theirs.size > 0 && !scriptsOf(facts).has(key) && theirs.isSubsetOf(mine);
  });
  return isElsewhere && !run.facts.lines.some(({ source, text }) => source === "page" && MISSED.test(text));
}

const loaded = ({ status }: Exchange): boolean => status !== null && status < 300;

const scriptsOf = (facts: RunFacts, isWanted: (one: Exchange) => boolean = () => true): Set<string> =>
  new Set(
    facts.exchanges
      .filter((one) => one.type === "script" && isWanted(one))
      .map((one) => exchangeKey(one, facts)),
  );
