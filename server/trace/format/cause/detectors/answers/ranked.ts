import { APART, rankOf } from "../../exchanges/difference-rank.ts";
import { valueAt } from "../../exchanges/difference-words.ts";
import { type Difference, shapeOf } from "../../exchanges/differences.ts";
import { isIdleFigure } from "../../exchanges/idle-figures.ts";
import { isOtherAmount } from "../../exchanges/other-amount.ts";
import { isReadByTest } from "../../exchanges/read-by-test.ts";
import { BESIDE } from "../../plausibility/words.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence } from "../../types.ts";

/** Where an answer differs, and how much of that the test or the page shows. */
export interface Ranked {
  difference: Difference;
  rank: number;
}

/**
 * Where an answer differs from the passes', what tells most first.
 * @param value the answer
 */
export const ranked = (
  evidence: Evidence,
  one: Exchange,
  value: unknown,
  differences: readonly Difference[],
): Ranked[] => {
  const rankIn = (difference: Difference): number => {
    const rank = rankOf(evidence, difference);
    if (isIdleFigure(evidence, one, difference)) return IDLE;
    if (isReadByTest(evidence, one, difference.now)) return APART;
    if (rank < 1 && isOtherAmount(evidence, value, difference)) return APART;
    if (rank === APART && isOfMost(differences, difference, value)) return OF_MOST;
    return rank < 1 && isAside(difference) ? LAST : rank;
  };
  return differences
    .map((difference) => ({ difference, rank: rankIn(difference) }))
    .toSorted((a, b) => b.rank - a.rank);
};

/** Below what nobody looks for. */
const LAST = -1;
/** Nothing at all: it tells less than the failure's own words. */
export const IDLE = -2;

/** Whether most things of a list differ in the same field: others change one or a few of them. */
function isOfMost(differences: readonly Difference[], { path }: Difference, value: unknown): boolean {
  const shape = shapeOf(path);
  const count = differences.filter((other) => shapeOf(other.path) === shape).length;
  const parts = path.split("/");
  const at = parts.findLastIndex((part) => /^\d+$/.test(part));
  const list = valueAt(value, parts.slice(0, at).join("/"));
  return count >= FEWEST_OF_MOST && Array.isArray(list) && count > list.length / 2;
}

const FEWEST_OF_MOST = 3;
/** As of a state that the step does not speak of. */
const OF_MOST = 0.5;

/** What every release names anew, and no page shows. */
const BUILD =
  /(?:^|[/_])(?:build(?:_?(?:id|number|time|hash|date))?|commit(?:_?(?:id|hash|sha))?|revision|git_\w{1,60}|sha1?|release(?:_?(?:id|date))?|(?:app|api|server|client)_version|deployed(?:_at)?)$/i;

const isBuild = ({ path }: Difference): boolean => BUILD.test(snakeOf(path));

/** What a product calls the ways that it tries out. */
const VARIANT = /^(?:[A-Z]|control|treatment|variant[-_ ]?\w{0,3})$/;

/** What a release names anew, or products try out and deck pages with. */
export const isAside = (difference: Difference): boolean =>
  isBuild(difference) ||
  BESIDE.test(difference.path) ||
  [difference.before, difference.now].every((value) => typeof value === "string" && VARIANT.test(value));

/** A name in words apart: `requestId` as `request_Id`. */
export const snakeOf = (path: string): string => path.replace(/([a-z])([A-Z])/g, "$1_$2");
