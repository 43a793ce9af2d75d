import { bareOf } from "../words.ts";
import { CLOCK, clocksIn, DATE } from "./clock-texts.ts";

const AMOUNT = /\d{1,3}(?:[.,' \u00a0\u202f]\d{3})*[.,]\d{1,2}\b|[$€£¥]\s?\d|\d\s?[$€£¥]/;

/** Whether the test met the same date, time or amount as it wants, written otherwise. */
export function isOtherForm({
  expected,
  received,
}: {
  expected: string | null;
  received: string | null;
}): boolean {
  const [want, got] = [bareOf(expected ?? ""), bareOf(received ?? "")];
  const digits = (text: string) => text.replace(/\D/g, "");
  const sorted = (text: string) => [...digits(text)].sort().join("");
  const both = (pattern: RegExp) => pattern.test(want) && pattern.test(got);
  // A longer text may have the very same date in it, and differ elsewhere.
  if (isSameHour(want, got) || areSameAmounts(want, got) || isTurnedIn(want, got)) return true;
  const isApart = (pattern: RegExp) =>
    both(pattern) && (want.match(new RegExp(pattern.source, "gi")) ?? []).some((one) => !got.includes(one));
  return (
    want !== got &&
    digits(want).length >= 3 &&
    sorted(want) === sorted(got) &&
    (isApart(DATE) || isApart(CLOCK) || (both(AMOUNT) && separators(want) !== separators(got)))
  );
}

/** Whether the wanted date stands in a text with its day and month in each other's place: one of the two is no month. */
const isTurnedIn = (want: string, got: string): boolean =>
  [...want.matchAll(/(\d{1,2})([./-])(\d{1,2})\2(\d{4})/g)].some(
    ([date, one, sign, other, year]) =>
      Math.max(Number(one), Number(other)) > 12 &&
      !got.includes(date) &&
      got.includes(`${other}${sign}${one}${sign}${year}`),
  );

/** What stands right beside it in the next cell may be part of the text. */
const HALF_DAY = /\d\s?[ap]\.?m/i;

/** Whether one and the same hour stands in both, by twelve hours in the one and by twenty-four in the other. */
function isSameHour(want: string, got: string): boolean {
  const [mine, theirs] = [clocksIn(want), clocksIn(got)];
  return (
    mine.size === 1 &&
    theirs.size === 1 &&
    theirs.has([...mine][0]!) &&
    HALF_DAY.test(want) !== HALF_DAY.test(got)
  );
}

/** Whether every amount that is wanted stands in a longer text, with other signs between its figures. */
function areSameAmounts(want: string, got: string): boolean {
  const amountsIn = (text: string) =>
    (text.match(/\d[\d.,' \u00a0\u202f]{1,20}\d/g) ?? []).filter((one) => AMOUNT.test(one));
  const digits = (text: string) => text.replace(/\D/g, "");
  const [wanted, met] = [amountsIn(want), amountsIn(got)];
  return (
    wanted.length > 0 &&
    wanted.every(
      (one) =>
        digits(one).length >= 3 &&
        !got.includes(one) &&
        met.some((other) => digits(other) === digits(one) && separators(other) !== separators(one)),
    )
  );
}

/** What stands between the digits of an amount. */
const separators = (text: string) => (/\d[\d.,' \u00a0\u202f]*\d/.exec(text)?.[0] ?? "").replace(/\d/g, "");

/** Whether two texts differ by a date or an hour of the same form. */
export function isTimeMoved(want: string, got: string): boolean {
  return isMoved(want, got, DATE) || isMoved(want, got, CLOCK);
}

/** Whether what the page shows has no such date, but another of the same form in its place. */
export function isMoved(want: string, got: string, pattern: RegExp): boolean {
  const all = (text: string) => text.match(new RegExp(pattern.source, "gi")) ?? [];
  const shapeOf = (text: string) => text.replace(/\d+/g, "0").replace(/\p{L}+/gu, "a");
  const shown = all(got);
  return all(want).some(
    (one) =>
      !got.includes(one) &&
      shown.some(
        (other) => shapeOf(other).startsWith(shapeOf(one)) || shapeOf(one).startsWith(shapeOf(other)),
      ),
  );
}
