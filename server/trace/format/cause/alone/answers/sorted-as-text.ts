import { answerFinding } from "../../answer-finding.ts";
import { hasNumber } from "../../figures.ts";
import { answersBefore } from "../../select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";
import { thingsOf } from "./things.ts";

const MOST = 40;
/** Fewer numbers stand in the order of their figures by chance. */
const FEWEST = 4;

/** A list whose numbers stand in the order in which texts would: 104 before 12, and 12 before 9. */
export function detectSortedAsText(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  for (const one of answersBefore(evidence, MOST, ({ method }) => method === "GET").toReversed()) {
    const things = thingsOf(one, run.bodies);
    for (const name of Object.keys(things[0] ?? {})) {
      const numbers = things.map((thing) => numberIn(thing[name]));
      if (numbers.length < FEWEST || numbers.includes(null) || !isAsText(numbers as number[])) continue;
      // Only where the test met the one of them that stands first, and wants another.
      const isMet =
        isFirstMet(things, got!, want!) ??
        (hasNumber(got!, numbers[0]!) && numbers.some((other) => hasNumber(want!, other!)));
      if (!isMet) continue;
      return [
        answerFinding(
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

/** Whether the test met the thing that stands first before any other, and wants another one there; null where it names none of them. */
function isFirstMet(things: readonly Record<string, unknown>[], got: string, want: string): boolean | null {
  const names = things.flatMap((thing) => nameIn(thing) ?? []);
  const firstIn = (text: string) =>
    names
      .filter((name) => text.includes(name))
      .reduce<string | null>(
        (first, name) => (first === null || text.indexOf(name) < text.indexOf(first) ? name : first),
        null,
      );
  const [met, wanted] = [firstIn(got), firstIn(want)];
  return met === null ? null : met === names[0] && wanted !== null && wanted !== met;
}

/** The first words of a thing. */
const nameIn = (thing: Record<string, unknown>): string | undefined =>
  Object.values(thing).find((value): value is string => typeof value === "string" && WORDS.test(value));
const WORDS = /\p{L}{3}/u;

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

/** The first two neighbours that stand the wrong way round as numbers. */
function placesOf(numbers: readonly number[]): string {
  const isFalling = String(numbers[0]) > String(numbers.at(-1));
  const at = numbers.findIndex((one, place) => {
    const next = numbers[place + 1];
    return next !== undefined && (isFalling ? next > one : next < one);
  });
  return `${numbers[at]} comes before ${numbers[at + 1]}`;
}
