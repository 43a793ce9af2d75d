import { readOtherwise } from "../run/made-of-read.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence } from "../types.ts";
import { within } from "./difference-rank.ts";

/** Whether the test read a value of an answer from the page, and what it wants is made of that. */
export function isReadByTest(
  evidence: Evidence,
  { ts, end }: Pick<Exchange, "ts" | "end">,
  value: unknown,
): boolean {
  const read = readOtherwise(evidence, "read");
  return read !== null && read.end >= (end ?? ts) && value != null && within(read.returned!, String(value));
}
