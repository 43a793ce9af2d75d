import type { Evidence } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { isSpokenOfByTest } from "./difference-rank.ts";
import type { Difference } from "./differences.ts";
import { isLookedAt } from "./looked-at.ts";

/** Whether there are more or fewer of something than there were that the step neither reads nor speaks of, in an answer of which it looks at nothing. */
export function isOtherAmount(
  evidence: Evidence,
  answer: unknown,
  { path, before, now }: Difference,
): boolean {
  const { expected, received } = evidence.failed;
  return (
    [before, now].every((value) => typeof value === "number" && value !== 0) &&
    AMOUNTS.test(path) &&
    ![expected, received].every((text) => text !== null && /\d/.test(text)) &&
    !isSpokenOfByTest(evidence, path) &&
    isLookedAt(evidence, textsOf(answer)) === false
  );
}

const AMOUNTS = /(?:stock|total|price|count|available)/i;

const MOST = 500;

const textsOf = (answer: unknown): string[] =>
  leavesOf(answer)
    .flatMap(({ value }) => (typeof value === "string" ? [value] : []))
    .slice(0, MOST);
