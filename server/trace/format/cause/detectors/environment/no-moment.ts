import { targetOf } from "../../page/target.ts";
import type { Evidence } from "../../types.ts";
import { CLOCK, DATE } from "../../values/clock-texts.ts";
import { bareOf } from "../../words.ts";

/** A pattern that takes several times of the day, or leaves figures of one open. */
const SEVERAL = /\d:\d{2}(?::\d{2})?\||\|\d{1,2}:|\d:\d?(?:\\d|\[\d)/;
const PATTERN = /^\/.*\/[a-z]*$/;

/** Whether what looks like a time of the day is how long something goes on: a countdown, or what a pattern takes several times for. */
export function isSpanOfTimer({ failed, run }: Pick<Evidence, "failed" | "run">): boolean {
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  return (
    (PATTERN.test(want!) && SEVERAL.test(want!)) ||
    /getByRole\(['"]timer['"]|\[role=["']?timer/.test(targetOf({ failed })) ||
    (run.page?.elements.some(({ role, own }) => role === "timer" && own === got) ?? false)
  );
}

const DATES = new RegExp(DATE.source, "gi");
const CLOCKS = new RegExp(CLOCK.source, "gi");
const HOURS_AND_ZONES = /\b\d{1,2}\s?[ap]\.?m\b|\b(?:UTC|GMT)\s?[+\-−]\d{1,2}/gi;
const FIGURE = /[$€£¥]?\d+(?:[.,]\d+)*[$€£¥]?/g;
const SIGN = /[$€£¥]/;
/** One other figure may be a part of a date that is written in a way of its own. */
const FEWEST = 2;

/** Whether two texts are the same but for figures, and differ beside their dates and times too: they tell of two things, not of one at two moments. */
export function isOfAnotherThing(want: string, got: string): boolean {
  const [mine, theirs] = [want, got].map((text) =>
    text.replace(DATES, "").replace(CLOCKS, "").replace(HOURS_AND_ZONES, ""),
  ) as [string, string];
  if (mine.replace(FIGURE, "0") !== theirs.replace(FIGURE, "0")) return false;
  const met = theirs.match(FIGURE) ?? [];
  const others = (mine.match(FIGURE) ?? []).filter((figure, at) => figure !== met[at]);
  return others.length >= FEWEST || others.some((figure) => SIGN.test(figure));
}

/** Whether two texts have no years that are near to each other, as a day of birth and that of a visit: no clock is so far off, but one that begins in 1970. */
export function isOfOtherAge(want: string, got: string): boolean {
  const [mine, theirs] = [want, got].map((text) =>
    (text.match(DATES) ?? []).flatMap((date) => Number(/(?:19|20)\d{2}/.exec(date)?.[0] ?? Number.NaN)),
  ) as [number[], number[]];
  const all = [...mine, ...theirs];
  if (
    mine.length === 0 ||
    theirs.length === 0 ||
    all.some((year) => Number.isNaN(year) || year === FIRST_YEAR)
  )
    return false;
  return mine.every((year) => theirs.every((other) => Math.abs(year - other) >= YEARS));
}

const FIRST_YEAR = 1970;
const YEARS = 15;
