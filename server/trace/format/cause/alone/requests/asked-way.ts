import { answerFinding } from "../../exchanges/answer-finding.ts";
import { askedFor, isAskedAlike, mayRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";
import { FIRST, WAY } from "../page/other-order.ts";

const MOST = 40;
const FEWEST = 3;

/** A list that was asked for upwards or downwards, and begins with another value than the one that the test wants first and that no thing of it has, though things of such lists have it. */
export function detectAskedWay(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const want = bareOf(failed.expected ?? "").toLowerCase();
  const action = actionBefore(run.facts, failed);
  if (want === "" || failed.received === null || !action || !FIRST.test(targetOf(evidence))) return [];
  const reads = answersBefore(evidence, MOST, (one) => mayRead(one, run));
  const one = reads.findLast(({ ts }) => ts >= action.ts);
  const way = one && askedFor(one, run).find(([, value]) => WAY.test(value));
  const things = one ? thingsOf(one, run.bodies) : [];
  const field =
    way &&
    fieldOf(
      want,
      reads.filter((other) => isAskedAlike(other, one!)),
      evidence,
    );
  if (!field || things.length < FEWEST) return [];
  const values = things.map((thing) => String(thing[field]));
  if (values.some((value) => value.toLowerCase() === want)) return [];
  return [
    answerFinding(
      evidence,
      one!,
      `${requestOf(one!, run.facts)} asked for its list with ${quoted(way.join("="), 40)}: it begins with ${quoted(values[0]!, 40)} for ${quoted(field, 40)}, and none of its ${things.length} things is ${quoted(bareOf(failed.expected!), 40)}, which the test wants first`,
      0.86,
    ),
  ];
}

/** Under which name things of such lists have a value. */
function fieldOf(want: string, reads: readonly Exchange[], { run }: Evidence): string | undefined {
  for (const one of reads)
    for (const thing of thingsOf(one, run.bodies)) {
      const found = Object.entries(thing).find(
        ([, value]) => typeof value === "string" && value.toLowerCase() === want,
      );
      if (found) return found[0];
    }
  return undefined;
}
