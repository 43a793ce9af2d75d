import { isStoring, requestBodyOf } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { isIdAt, leavesOf } from "../../values/json-leaves.ts";
import { isTracker, quoted, requestOf } from "../../words.ts";

const MOST_WRITES = 20;
const NUMBER = /^-?\d{1,9}(?:\.\d{1,4})?$/;
/** One more or less comes about by anything. */
const LEAST = 2;

/**
 * How a number came to be another one than in every pass by what a write was sent with, as a clause: it was added instead of taken
 * away where they differ by twice as much, and nothing came of it where by as much. Empty where no write says so.
 */
export function changedByWrite(evidence: Evidence, one: Exchange, now: unknown, before: unknown): string {
  const { run } = evidence;
  if (typeof now !== "number" || typeof before !== "number" || now === before) return "";
  const writes = answersBefore(
    evidence,
    MOST_WRITES,
    (write) => write.ts <= one.ts && write.type !== "api" && isStoring(write, run) && !isTracker(write.url),
  );
  const sentOf = (change: number): string | null => {
    for (const write of writes.toReversed()) {
      const sent = leavesOf(requestBodyOf(write, run)).find(
        ({ path, value }) => NUMBER.test(String(value)) && Number(value) === change && !isIdAt(path),
      );
      if (sent)
        return `${requestOf(write, run.facts)} was sent with ${quoted(String(change), 30)} for ${quoted(sent.path, 60)}`;
    }
    return null;
  };
  const lack = before - now;
  const turned = sentOf(lack / 2);
  if (turned)
    return `; ${turned}: it was ${lack < 0 ? "added instead of taken away" : "taken away instead of added"}`;
  const lost = Math.abs(lack) < LEAST ? null : sentOf(lack);
  return lost ? `; ${lost}: it was not ${lack < 0 ? "taken away" : "added"}` : "";
}
