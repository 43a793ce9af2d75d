import { answerFinding } from "../../exchanges/answer-finding.ts";
import { askedFor, isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const MOST_THINGS = 500;
/** Fewer stand in the order of the alphabet by chance. */
const FEWEST = 3;
const FEWEST_KINDS = 3;
/** More are no kinds that have a rank. */
const MOST_KINDS = 8;
const SORTS = /sort|order/i;

/**
 * A list that was to be sorted by kinds that have a rank, and stands in the order of their names: of `high`, `low`, `normal` and
 * `urgent` the test wants one first that the alphabet brings first in neither direction.
 */
export function detectSortedByName(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want = "", got = ""] = [failed.expected, failed.received].map((text) =>
    bareOf(text ?? "").toLowerCase(),
  );
  for (const one of answersBefore(evidence, MOST, (one) => isRead(one, run)).toReversed()) {
    const name = askedFor(one, run).find(([key]) => SORTS.test(key))?.[1] ?? "";
    const texts = textsOf(thingsOf(one, run.bodies), name);
    if (texts === null || texts[0] !== got) continue;
    const kinds = knownKinds(evidence, name);
    const place = kinds.indexOf(want);
    const isOfRank = kinds.length >= FEWEST_KINDS && kinds.length <= MOST_KINDS;
    if (!isOfRank || place <= 0 || place === kinds.length - 1) continue;
    const begins = texts[0] === kinds[0] ? "" : texts[0] === kinds.at(-1) ? ", backwards" : null;
    if (begins === null || !isInOrder(begins === "" ? texts : texts.toReversed())) continue;
    return [
      {
        ...answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} answered a list that is sorted by the text of ${quoted(name, 40)}, in alphabetical order${begins} and not by rank: ${quoted(got, 30)} comes first, where the test wants ${quoted(want, 30)}`,
          0.88,
        ),
        isAgainstItself: true,
      },
    ];
  }
  return [];
}

/** The texts of all things under one name; null where few have one, or not all. */
function textsOf(things: readonly Record<string, unknown>[], name: string): string[] | null {
  const texts = things
    .slice(0, MOST_THINGS)
    .flatMap((thing) => (typeof thing[name] === "string" ? [thing[name].toLowerCase()] : []));
  return texts.length >= FEWEST && texts.length === Math.min(things.length, MOST_THINGS) ? texts : null;
}

const isInOrder = (texts: readonly string[]): boolean =>
  texts.every((text, at) => at === 0 || texts[at - 1]! <= text);

/** What the lists of the run have under that name, in the order of the alphabet. */
const knownKinds = (evidence: Evidence, name: string): string[] =>
  [
    ...new Set(
      answersBefore(evidence, MOST, (one) => isRead(one, evidence.run)).flatMap(
        (one) => textsOf(thingsOf(one, evidence.run.bodies), name) ?? [],
      ),
    ),
  ].sort();
