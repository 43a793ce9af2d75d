import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf, hasNumber } from "../../values/figures.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
/** Fewer numbers stand in the order of their figures by chance. */
const FEWEST = 4;

/** A list whose numbers stand in the order in which texts would: 104 before 12, and 12 before 9. */
export function detectSortedAsText(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  for (const one of answersBefore(evidence, MOST, (one) => isRead(one, run)).toReversed()) {
    const things = thingsOf(one, run.bodies);
    const theirs = usualThings(evidence, one);
    for (const name of Object.keys(things[0] ?? {})) {
      const mixed = numbersAsTexts(things, name);
      const part = mixed === null ? partAsTexts(things, theirs, name) : null;
      const numbers = mixed ?? part?.numbers ?? null;
      if (numbers === null || isUsual(evidence, one, name)) continue;
      // Only where the test met the one of them that stands first, and wants another.
      const isMet =
        isFirstMet(things, { got: got!, want: want! }, evidence.passes.length > 0) ??
        (isSaid(got!, numbers[0]!) &&
          (numbers.some((other) => isSaid(want!, other)) || isAhead(want!, numbers)));
      if (!isMet) continue;
      return [
        {
          ...answerFinding(
            evidence,
            one,
            `${requestOf(one, run.facts)} answered a list that is sorted by ${quoted(name, 40)} as texts are, not as numbers: ${part === null ? placesOf(numbers) : `it begins with ${numbers[0]} where the last pass has ${part.before}`}`,
            0.86,
          ),
          isSortedAsText: true,
        },
      ];
    }
  }
  return [];
}

/**
 * Whether the test met the thing that stands first before any other, and wants another one there; null where it names none of them.
 * @param hasPass then a thing that the list has not may be wanted as well: a part of a list that is sorted otherwise has others
 */
function isFirstMet(
  things: readonly Record<string, unknown>[],
  { got, want }: { got: string; want: string },
  hasPass: boolean,
): boolean | null {
  const placeIn = (text: string, thing: Record<string, unknown>) =>
    Math.min(
      ...Object.values(thing).flatMap((value) => {
        const place = typeof value === "string" && isName(value) ? text.indexOf(value) : -1;
        return place < 0 ? [] : [place];
      }),
    );
  const firstIn = (text: string): number => {
    const places = things.map((thing) => placeIn(text, thing));
    const first = Math.min(...places);
    return Number.isFinite(first) ? places.indexOf(first) : -1;
  };
  const [met, wanted] = [firstIn(got), firstIn(want)];
  if (met < 0) return null;
  return met === 0 && (wanted < 0 ? hasPass && isName(want) : wanted > 0);
}

/** A word, or what a thing is numbered by: `AC-1019`. */
const isName = (text: string): boolean =>
  /\p{L}{3}/u.test(text) || (text.length >= SHORTEST_ID && /\p{L}/u.test(text) && /\d/.test(text));

const SHORTEST_ID = 5;

/** Whether the answer to such a request is sorted so in a pass. */
const isUsual = ({ run, passes }: Evidence, one: Exchange, name: string): boolean =>
  passes.some((pass) =>
    exchangesOf(pass.facts, exchangeKey(one, run.facts)).some(
      (other) => numbersAsTexts(thingsOf(other, pass.bodies), name) !== null,
    ),
  );

/** What the answers to the very request list in each pass. */
const usualThings = ({ run, passes }: Evidence, one: Exchange): Record<string, unknown>[][][] =>
  passes.map((pass) =>
    exchangesOf(pass.facts, exchangeKey(one, run.facts))
      .filter(({ url }) => URL.parse(url)?.search === URL.parse(one.url)?.search)
      .slice(-MOST)
      .map((other) => thingsOf(other, pass.bodies)),
  );

/**
 * The numbers of one part of a list that has more, where what every pass has there and this one lacks would come behind it
 * as a text, and before its end as a number: of 12, 10, 9 and 4 in falling order a part of two is 9 and 4. Null where it is not so.
 */
function partAsTexts(
  things: readonly Record<string, unknown>[],
  theirs: readonly Record<string, unknown>[][][],
  name: string,
): { numbers: number[]; before: number } | null {
  const numbers = numbersOf(things, name);
  const usual = theirs.map((lists) => lists.map((list) => numbersOf(list, name)));
  const before = usual[0]?.at(-1);
  const last = numbers?.at(-1);
  if (!numbers || !before || last === undefined || !isInOrder(numbers)) return null;
  const way = before[0]! > before.at(-1)! ? -1 : 1;
  const isBehind = <Value extends number | string>(one: Value, other: Value) =>
    way > 0 ? one > other : one < other;
  const known = new Set(numbers);
  const isOfTexts = (list: readonly number[] | null) => {
    const lacked = list?.filter((number) => !known.has(number)) ?? [];
    return (
      list !== null &&
      isInOrder(list) &&
      lacked.length > 0 &&
      lacked.every((number) => isBehind(String(number), String(last)) && isBehind(last, number))
    );
  };
  const isSo =
    isInOrder(numbers.map(String)) && usual.every((lists) => lists.length > 0 && lists.every(isOfTexts));
  return isSo ? { numbers, before: before[0]! } : null;
}

/** The numbers of a list under one name; null where few have one, or not all. */
function numbersOf(things: readonly Record<string, unknown>[], name: string): number[] | null {
  const all = things.map((thing) => numberIn(thing[name])).filter((one) => one !== null);
  return all.length < FEWEST || all.length < things.length ? null : all.map(({ number }) => number);
}

/** Whether a text has a number: as it is, or as the amount that it tells alone. */
const isSaid = (text: string, number: number): boolean =>
  hasNumber(text, number) || (AMOUNT.test(text) && Number(figureOf(text)?.text) === number);

/** Whether a list that has more parts would begin with that number, were it sorted by numbers. */
function isAhead(text: string, numbers: readonly number[]): boolean {
  const wanted = AMOUNT.test(text) ? Number(figureOf(text)?.text) : Number.NaN;
  return isFalling(numbers) ? wanted > Math.max(...numbers) : wanted < Math.min(...numbers);
}

const isFalling = (numbers: readonly number[]): boolean => String(numbers[0]) > String(numbers.at(-1));

const PLAIN = /^-?\d+(?:\.\d+)?$/;
/** A number with its currency: `€1,039.34`, `12,50 kr.`. */
const AMOUNT = /^(?:\p{Sc}|\p{L}{1,3}\.?)?\s?\d[\d.,]*\s?(?:\p{Sc}|\p{L}{1,3}\.?)?$/u;

/** The number of a value, and the texts by which it may have been sorted: as it is written, or as an amount in its smallest unit. */
function numberIn(value: unknown): { number: number; texts: readonly [string, string] } | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return null;
  const number = PLAIN.test(text) ? text : AMOUNT.test(text) ? figureOf(text)?.text : undefined;
  return number === undefined ? null : { number: Number(number), texts: [number, number.replace(".", "")] };
}

/** The numbers of a list under one name, where they stand as texts would, and not as numbers; else null. */
function numbersAsTexts(things: readonly Record<string, unknown>[], name: string): number[] | null {
  const all = things.map((thing) => numberIn(thing[name])).filter((one) => one !== null);
  if (all.length < FEWEST || all.length < things.length) return null;
  const numbers = all.map(({ number }) => number);
  const isAsText = [0, 1].some((at) => isInOrder(all.map(({ texts }) => texts[at]!)));
  return isAsText && !isInOrder(numbers) ? numbers : null;
}

/** Whether values only rise, or only fall. */
const isInOrder = <Value extends number | string>(values: readonly Value[]): boolean =>
  values.every((one, at) => at === 0 || values[at - 1]! <= one) ||
  values.every((one, at) => at === 0 || values[at - 1]! >= one);

/** The first two neighbours that stand the wrong way round as numbers. */
function placesOf(numbers: readonly number[]): string {
  const falls = isFalling(numbers);
  const at = numbers.findIndex((one, place) => {
    const next = numbers[place + 1];
    return next !== undefined && (falls ? next > one : next < one);
  });
  return `${numbers[at]} comes before ${numbers[at + 1]}`;
}
