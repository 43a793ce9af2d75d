import { answerFinding } from "../../exchanges/answer-finding.ts";
import { askedFor, isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { hasNumber } from "../../values/figures.ts";
import { quoted, requestOf, withoutQuery } from "../../words.ts";

const MOST = 60;
const FEWEST = 3;
const PAGE = /^(?:page|p|page_?(?:number|index|no)|offset|skip|start)$/i;

/** Two pages of a numbered list that follow each other, of which the second begins later than the first ended: what the test wants is in neither. */
export function detectSkipped(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const reads = answersBefore(evidence, MOST, (one) => isRead(one, run));
  for (const one of reads.toReversed()) {
    const place = placeOf(one, run);
    const before =
      place &&
      reads.findLast((other) => {
        const theirs = placeOf(other, run);
        return theirs !== null && theirs.list === place.list && theirs.from < place.from;
      });
    if (!before) continue;
    const [first, second] = [thingsOf(before, run.bodies), thingsOf(one, run.bodies)];
    for (const name of Object.keys(second[0] ?? {})) {
      const [ended, begins] = [stepsOf(first, name), stepsOf(second, name)];
      if (!ended || !begins || ended.step !== begins.step) continue;
      const lacked = ended.last + ended.step;
      const skipped = (begins.first - lacked) * ended.step;
      if (skipped < 1 || skipped > first.length || !hasNumber(failed.expected ?? "", lacked)) continue;
      return [
        {
          ...answerFinding(
            evidence,
            one,
            `${requestOf(one, run.facts)} (${place.words}) begins with ${begins.first} for ${quoted(name, 40)}, where the page before it had ended with ${ended.last}: ${lacked} is in neither, the offset of that page skips ${skipped}`,
            0.9,
          ),
          isAgainstItself: true,
        },
      ];
    }
  }
  return [];
}

/** Which page of which list was asked for. */
function placeOf(one: Exchange, run: RunEvidence): { list: string; from: number; words: string } | null {
  const query = askedFor(one, run);
  const page = query.find(([name, value]) => PAGE.test(name) && /^\d{1,9}$/.test(value));
  if (!page) return null;
  const rest = query.filter((entry) => entry !== page).map((entry) => entry.join("="));
  return {
    list: `${withoutQuery(one.url)} ${one.operation} ${rest.sort().join("&")}`,
    from: Number(page[1]),
    words: page.join("="),
  };
}

/** Numbers that go up or down by one from thing to thing: the first, the last, and which way; null where they do not. */
function stepsOf(
  things: readonly Record<string, unknown>[],
  name: string,
): { first: number; last: number; step: number } | null {
  const numbers = things.map((thing) => thing[name]);
  if (numbers.length < FEWEST || !numbers.every((one) => typeof one === "number")) return null;
  const step = numbers[1]! - numbers[0]!;
  const isEven = numbers.every((one, at) => at === 0 || one - numbers[at - 1]! === step);
  return Math.abs(step) === 1 && isEven ? { first: numbers[0]!, last: numbers.at(-1)!, step } : null;
}
