import { answerFinding } from "../../exchanges/answer-finding.ts";
import { givenIn, isStoring, mayRead } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figuresApart } from "../../values/figures.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 40;
const MOST_WRITES = 5;
const SHORTEST = 4;

/** What was sent once and is twice in a list that was read since and not before, where the test counts one thing too many. */
export function detectStoredTwice(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const counts = figuresApart(bareOf(failed.expected ?? ""), bareOf(failed.received ?? ""));
  if (counts?.got !== (counts?.want ?? 0) + 1) return [];
  const answers = answersBefore(evidence, MOST, (one) => !isBeside(one));
  const writes = answers.filter((one) => isStoring(one, run)).slice(-MOST_WRITES);
  for (const write of writes.toReversed()) {
    const texts = leavesOf(givenIn(write, run)).flatMap(({ value }) =>
      typeof value === "string" && value.length >= SHORTEST ? [value] : [],
    );
    for (const text of texts) {
      const read = answers.findLast(
        (one) => one.ts > write.ts && mayRead(one, run) && placesOf(one, text, evidence).length > 0,
      );
      const before = answers.findLast((one) => one.ts < write.ts && mayRead(one, run) && isLike(one, read));
      const [first, second, third] = read ? placesOf(read, text, evidence) : [];
      const isSentOnce = writes.every(
        (one) => one === write || !leavesOf(givenIn(one, run)).some(({ value }) => value === text),
      );
      if (!read || !first || !second || third || !isSentOnce) continue;
      if (before && placesOf(before, text, evidence).length > 0) continue;
      return [
        answerFinding(
          evidence,
          read,
          `${requestOf(read, run.facts)} answered with ${quoted(text, 60)} twice (${quoted(first.path, 50)}, ${quoted(second.path, 50)}), though ${requestOf(write, run.facts)} had sent it once: it was stored twice`,
          0.9,
        ),
      ];
    }
  }
  return [];
}

const isLike = (one: Exchange, read: Exchange | undefined): boolean =>
  one.operation === read?.operation && one.url === read.url;

/** Where things of one list say a text. */
function placesOf(one: Exchange, text: string, { run: { bodies } }: Evidence): Leaf[] {
  const [first, ...others] = leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).filter(
    ({ path, value }) => value === text && /(?:^|\.)\d+\./.test(path),
  );
  const shape = (path: string) => path.replace(/\d+/g, "0");
  return first ? [first, ...others.filter(({ path }) => shape(path) === shape(first.path))] : [];
}
