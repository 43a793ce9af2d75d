import { oncePer } from "../once.ts";
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
export function isAddedScript(evidence: Evidence, one: Exchange): boolean {
  const { run, passes } = evidence;
  if (passes.length === 0 || one.type !== "script") return false;
  const key = exchangeKey(one, run.facts);
  return passes.every(({ facts }) => !scriptsOf(facts, "asked").has(key)) && isWhole(evidence, "scripts");
}

/** Whether a run has all scripts that its passes have, and threw nothing for want of one. */
const isWhole = oncePer(({ run, passes }: Evidence, _: "scripts"): boolean => {
  const mine = scriptsOf(run.facts, "loaded");
  const theirs = passes.map(({ facts }) => scriptsOf(facts, "loaded"));
  return (
    theirs.every((some) => some.size > 0 && some.isSubsetOf(mine)) &&
    !run.facts.lines.some(({ source, text }) => source === "page" && MISSED.test(text))
  );
});

const scriptsOf = oncePer((facts: RunFacts, which: "asked" | "loaded"): Set<string> => {
  const scripts = facts.exchanges.filter(
    ({ type, status }) => type === "script" && (which === "asked" || (status !== null && status < 300)),
  );
  return new Set(scripts.map((one) => exchangeKey(one, facts)));
});
