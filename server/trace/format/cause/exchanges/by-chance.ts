import { shownAt } from "../page/shown-by.ts";
import { targetOf } from "../page/target.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence } from "../types.ts";
import { figureOf, isFigureOf } from "../values/figures.ts";
import { jsonOf, type Leaf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf } from "../words.ts";

/**
 * Whether a number in an answer is that of the text which the step met by chance alone: the number that passes were answered in its place
 * is not what they show where the step looks.
 * @param usual what passes were answered there
 */
export function isByChance(evidence: Evidence, usual: readonly unknown[]): boolean {
  const { failed, passes } = evidence;
  if (usual.length === 0 || usual.some((value) => typeof value !== "number")) return false;
  if (figureOf(failed.received ?? "") === null || usual.some((value) => isFigureOf(value, failed.expected)))
    return false;
  const target = targetOf(evidence);
  const shown = passes.flatMap(({ page }) => (page ? shownAt(page, target) : []));
  return (
    shown.length === passes.length &&
    shown.every((text) => figureOf(text) !== null && !usual.some((value) => isFigureOf(value, text)))
  );
}

/** The same of a value of an answer, by what passes were answered in its place. */
export function isSaidByChance(evidence: Evidence, one: Exchange, { path, value }: Leaf): boolean {
  if (typeof value !== "number") return false;
  const key = exchangeKey(one, evidence.run.facts);
  const usual = evidence.passes.flatMap(({ facts, bodies }) =>
    exchangesOf(facts, key).flatMap((other) =>
      leavesOf(jsonOf(bodyOf(other, bodies) ?? "")).flatMap((leaf) =>
        leaf.path === path ? [leaf.value] : [],
      ),
    ),
  );
  return isByChance(evidence, usual);
}
