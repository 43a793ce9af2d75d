export const DAY_MS = 86_400_000;
/** The last moment that a date can have (ECMA-262, 21.4.1.1). */
const LATEST_MS = 8.64e15;

/** The day of a moment in UTC, as `2026-11-30`; null where no calendar has it. */
export const dayOf = (ts: number): string | null =>
  Math.abs(ts) <= LATEST_MS ? new Date(ts).toISOString().slice(0, 10) : null;
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/;
/** Moments from 2001 to 2096, in milliseconds. */
export const EPOCH = [1_000_000_000_000, 4_000_000_000_000] as const;

/** Whether a text says the day of a date: its month by name, its number, and its weekday or year. */
export const isDateIn = (value: string, text: string): boolean =>
  saysAll(value, text, [{ month: "short" }, { day: "numeric" }]) &&
  (saysAll(value, text, [{ weekday: "short" }]) || saysAll(value, text, [{ year: "numeric" }]));

/** Whether a text says month and number of a date, of whatever year. */
export const isDayIn = (value: string, text: string): boolean =>
  saysAll(value, text, [{ month: "short" }, { day: "numeric" }]);

function saysAll(value: string, text: string, parts: readonly Intl.DateTimeFormatOptions[]): boolean {
  const date = ISO_DATE.test(value) ? new Date(value) : null;
  if (date === null || Number.isNaN(date.getTime())) return false;
  return parts.every((options) => {
    const words = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options }).format(date);
    return new RegExp(`(?<!\\w)${words}(?!\\d)`, "i").test(text);
  });
}

/** A date with its day and its month in each other's place; null of what is no date, or is the same then. */
export function turned(value: unknown): string | null {
  if (typeof value !== "string" || value.length > LONGEST_DATE) return null;
  const [, begin, one, sign, other, end] = YEAR_FIRST.exec(value) ?? YEAR_LAST.exec(value) ?? [];
  return one === undefined || one === other ? null : `${begin}${other}${sign}${one}${end}`;
}

const LONGEST_DATE = 40;
const YEAR_FIRST = /^(\d{4}[-./])(\d\d)([-./])(\d\d)(|[T ].*)$/;
const YEAR_LAST = /^()(\d{1,2})([-./])(\d{1,2})([-./]\d{4})$/;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH = String.raw`(\p{L}{3})\p{L}*\.?`;
const FORMS = [
  { pattern: /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/u, at: [1, 2, 3] },
  { pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})\.? ${MONTH} (\d{4})`, "u"), at: [3, 2, 1] },
  { pattern: new RegExp(String.raw`${MONTH} (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})`, "u"), at: [3, 1, 2] },
] as const;

/** The first date of a text whose form is beyond doubt, as days since 1970: `28 Feb 2026`, `February 28, 2026`, `2026-02-28`. */
export function dayIn(text: string): number | null {
  for (const { pattern, at } of FORMS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const [year, month, day] = at.map((part) => found[part]!) as [string, string, string];
    const nth = /\d/.test(month) ? Number(month) - 1 : MONTHS.indexOf(month.toLowerCase());
    if (nth >= 0 && nth < 12) return Date.UTC(Number(year), nth, Number(day)) / DAY_MS;
  }
  return null;
}

/** The month that a text consists of, as `2026-12`: `December 2026`; null of any other text. */
export function monthOf(text: string): string | null {
  const [, month, year] = /^\s*(\p{L}{3,12})\.?,? (\d{4})\s*$/u.exec(text) ?? [];
  const ts = month === undefined ? Number.NaN : Date.parse(`1 ${month} ${year} UTC`);
  return Number.isNaN(ts) ? null : new Date(ts).toISOString().slice(0, 7);
}

/** How many months a month such as `2026-12` is after the year 0. */
export const monthsOf = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
