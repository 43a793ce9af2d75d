import { oncePer } from "../once.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { isFigureOf } from "../values/figures.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf } from "../words.ts";
import { isSpokenOfByTest } from "./difference-rank.ts";
import type { Difference } from "./differences.ts";
import { AT_ONCE_MS, isPrompted } from "./prompted.ts";

/**
 * Whether a figure is one that a page asks for time and again by itself: how many are there just now, how busy a server is. It is
 * another one whenever it is asked for, and a small one is what a test counts by chance.
 */
export function isIdleFigure(
  evidence: Evidence,
  one: Exchange,
  { path, before, now, of }: Difference,
): boolean {
  if (typeof before !== "number" || typeof now !== "number" || of !== undefined) return false;
  if (one.method !== "GET" || one.type === "api") return false;
  if (isSpokenOfByTest(evidence, path) || isTold(evidence, before, now)) return false;
  const key = exchangeKey(one, evidence.run.facts);
  return [evidence.run, ...evidence.passes].some((run) => askedByItself(run, key));
}

/** Whether the test read the one figure and wanted the other. How many elements there are is no text that a page writes. */
const isTold = ({ failed }: Evidence, before: number, now: number): boolean =>
  !/toHaveCount/.test(`${failed.title} ${failed.message}`) &&
  isFigureOf(before, failed.expected) &&
  isFigureOf(now, failed.received);

/** Names of the figures that a page asks for so, and that have become others meanwhile: `online` where it shows “3 online”. */
export const idleNamesOf = oncePer((run: RunEvidence, _: "names"): readonly string[] => {
  const names = new Set<string>();
  for (const [key, asked] of run.facts.byKey) {
    if (names.size >= MOST_NAMES || !key.startsWith("GET ") || !askedByItself(run, key)) continue;
    const known = new Map<string, unknown>();
    for (const one of asked.slice(-MOST_ASKED)) {
      for (const { path, value } of leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).slice(0, MOST_NAMES)) {
        if (typeof value !== "number") continue;
        if (known.has(path) && known.get(path) !== value) names.add(path.split(".").at(-1)!.toLowerCase());
        known.set(path, value);
      }
    }
  }
  return [...names].filter((name) => name.length >= SHORTEST_NAME);
});

const MOST_NAMES = 40;
const SHORTEST_NAME = 4;

/** Of one question, the last. */
const MOST_ASKED = 20;

/** Whether a page asked a question once more though nothing had been done right before. */
const askedByItself = oncePer((run: RunEvidence, key: string): boolean => {
  const asked = exchangesOf(run.facts, key).filter(({ type }) => type !== "api");
  return asked
    .slice(-MOST_ASKED)
    .some((later, at, all) => at > 0 && later.ts - all[at - 1]!.ts >= AT_ONCE_MS && !isPrompted(run, later));
});
