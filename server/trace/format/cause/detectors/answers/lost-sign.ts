import type { Difference } from "../../exchanges/differences.ts";
import { isStoring, requestBodyOf } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { isIdAt, leavesOf } from "../../values/json-leaves.ts";
import { isTracker, quoted, requestOf } from "../../words.ts";

const MOST_WRITES = 20;
const NUMBER = /^-?\d{1,9}(?:\.\d{1,4})?$/;

/**
 * That a number is as far from what every pass has as twice what a write was sent with: what was to be taken away was added, or the
 * other way round. A clause; empty where it is not so.
 */
export function lostSign(evidence: Evidence, one: Exchange, { now, before }: Difference): string {
  const { run } = evidence;
  if (typeof now !== "number" || typeof before !== "number" || now === before) return "";
  const change = (before - now) / 2;
  const writes = answersBefore(
    evidence,
    MOST_WRITES,
    (write) => write.ts <= one.ts && isStoring(write, run) && !isTracker(write.url),
  );
  for (const write of writes.toReversed()) {
    const sent = leavesOf(requestBodyOf(write, run)).find(
      ({ path, value }) => NUMBER.test(String(value)) && Number(value) === change && !isIdAt(path),
    );
    if (sent)
      return `; ${requestOf(write, run.facts)} was sent with ${quoted(String(change), 30)} for ${quoted(sent.path, 60)}: it was ${change < 0 ? "added instead of taken away" : "taken away instead of added"}`;
  }
  return "";
}
