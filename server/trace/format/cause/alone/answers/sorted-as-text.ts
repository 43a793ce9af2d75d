import { isRecord } from "../../differences.ts";
import { jsonOf } from "../../json-leaves.ts";
import { answersBefore } from "../../select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { answerAlone } from "./answer-alone.ts";
import { listsIn } from "./left-out.ts";

const MOST = 40;
/** Fewer numbers stand in the order of their figures by chance. */
const FEWEST = 4;

/** A list whose numbers stand in the order in which texts would: 104 before 12, and 12 before 9. */
export function detectSortedAsText(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  for (const one of answersBefore(evidence, MOST, ({ method }) => method === "GET").toReversed()) {
    const [list] = listsIn(jsonOf(bodyOf(one, run.bodies) ?? ""));
    const things = list?.items.filter(isRecord) ?? [];
    for (const name of Object.keys(things[0] ?? {})) {
      const numbers = things.map((thing) => numberIn(thing[name]));
      if (numbers.length < FEWEST || numbers.includes(null) || !isAsText(numbers as number[])) continue;
      // Only where the test met the one of them that stands first, and wants another.
      const isMet = hasNumber(got!, numbers[0]!) && numbers.some((other) => hasNumber(want!, other!));
      if (!isMet) continue;
      return [
        answerAlone(
          evidence,
          one,
          `${requestOf(one, run.facts)} answered a list that is sorted by ${quoted(name, 40)} as texts are, not as numbers: ${placesOf(numbers as number[])}`,
          0.86,
        ),
      ];
    }
  }
  return [];
}

const numberIn = (value: unknown): number | null =>
  typeof value === "number" || (typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value))
    ? Number(value)
    : null;

/** Whether numbers rise or fall as texts, and not as numbers. */
function isAsText(numbers: readonly number[]): boolean {
  const isInOrder = (compare: (one: number, next: number) => number) =>
    [1, -1].some((way) => numbers.every((one, at) => at === 0 || way * compare(numbers[at - 1]!, one) <= 0));
  const asTexts = (one: number, next: number) => (String(one) < String(next) ? -1 : one === next ? 0 : 1);
  return isInOrder(asTexts) && !isInOrder((one, next) => one - next);
}

const hasNumber = (text: string, number: number): boolean =>
  new RegExp(`(?<![\\d.,])${number}(?![\\d]|[.,]\\d)`).test(text);

/** The first two neighbours that stand the wrong way round as numbers. */
function placesOf(numbers: readonly number[]): string {
  const isFalling = String(numbers[0]) > String(numbers.at(-1));
  const at = numbers.findIndex((one, place) => {
    const next = numbers[place + 1];
    return next !== undefined && (isFalling ? next > one : next < one);
  });
  return `${numbers[at]} comes before ${numbers[at + 1]}`;
}
