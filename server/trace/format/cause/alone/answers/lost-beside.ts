import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith, givenIn, isStoring, requestText } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, isTracker, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const MOST_WRITES = 5;
const SHORTEST = 3;
const MOST_TOLD = 3;

/** A write after which a list has lost more than it was sent to take away: what the test still looks for there. */
export function detectLostBeside(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const want = bareOf(failed.expected ?? "");
  if (want.length < SHORTEST || failed.received === null || failed.received.includes(want)) return [];
  const answers = answersBefore(evidence, MOST, (one) => !isTracker(one.url));
  for (const write of answers
    .filter((one) => isStoring(one, run))
    .slice(-MOST_WRITES)
    .toReversed()) {
    if (requestText(write, run.bodies).includes(want)) continue;
    const said = new Set(leavesOf(givenIn(write, run)).map(({ value }) => String(value)));
    for (const [name, left] of listsOf(answeredWith(write, run))) {
      const before = answers.findLast(
        (one) => one.ts < write.ts && listsOf(answeredWith(one, run)).get(name)?.includes(want),
      );
      const had = before && listsOf(answeredWith(before, run)).get(name);
      const taken = had?.find((item) => said.has(item));
      if (!before || taken === undefined || left.includes(want) || left.includes(taken)) continue;
      return [
        answerFinding(
          evidence,
          write,
          `${requestOf(write, run.facts)} was sent with ${quoted(taken, 40)} and answered with ${left.length === 0 ? "an empty list" : told(left)} for ${quoted(name, 40)}, which had been ${told(had!)}: ${quoted(want, 40)} is gone, too`,
          0.92,
        ),
      ];
    }
  }
  return [];
}

const told = (items: readonly string[]): string =>
  items
    .slice(0, MOST_TOLD)
    .map((item) => quoted(item, 30))
    .join(", ");

/** The lists of texts that a thing has, by their names. */
const listsOf = (thing: unknown): Map<string, string[]> =>
  new Map(
    Object.entries(isRecord(thing) ? thing : {}).flatMap(([name, value]): [string, string[]][] =>
      Array.isArray(value) && value.every((item) => typeof item === "string") ? [[name, value]] : [],
    ),
  );
