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
