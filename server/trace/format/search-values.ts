const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AGES: Record<string, number> = { m: 60_000, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** Past this no time can be written with four digits of a year. */
const LAST_MOMENT = Date.UTC(9999, 0, 1);

/**
 * The moment that a value means: an age (`30m`, `24h`, `7d`, `2w`) before `now`, `today`, `yesterday`, a day or a time of
 * the reader's zone (`2026-03-31`, `2026-03-31T14:00`), or a time with its zone. Epoch ms; null when it means none.
 */
export function readMoment(value: string, now: number): number | null {
  const age = /^(\d{1,5})([mhdw])$/i.exec(value);
  if (age) return Math.max(0, now - Number(age[1]) * AGES[age[2]!.toLowerCase()]!);
  const word = value.toLowerCase();
  if (word === "today" || word === "yesterday") {
    const day = new Date(now);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - (word === "today" ? 0 : 1)).getTime();
  }
  const parts =
    /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/i.exec(
      value,
    );
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  // A day that no month has would become one of the next.
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12;
  if (!isDay || hour > 23 || minute > 59 || second > 59 || year < 1970) return null;
  const at = parts[7] ? Date.parse(value) : new Date(year, month - 1, day, hour, minute, second).getTime();
  return Number.isFinite(at) && at >= 0 && at < LAST_MOMENT ? at : null;
}

const UNITS = {
  ms: { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: HOUR_MS, "": 1 },
  // As sizes are shown: 1 kB are 1000 bytes.
  bytes: { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, k: 1e3, m: 1e6, g: 1e9, "": 1 },
} as const;

/** Whole numbers, both included. */
export interface ValueRange {
  min?: number;
  max?: number;
}

/** What `>5s`, `>=10MB`, `<500ms`, `1s..5s` and the like mean, in ms or bytes; null when they mean nothing. */
export function readRange(value: string, unit: keyof typeof UNITS): ValueRange | null {
  const between = /^(.+)\.\.(.+)$/.exec(value);
  if (between) {
    const [min, max] = [readAmount(between[1]!, unit), readAmount(between[2]!, unit)];
    return min === null || max === null || min > max ? null : { min: Math.ceil(min), max: Math.floor(max) };
  }
  const compared = /^(>=?|<=?)(.+)$/.exec(value);
  const amount = compared && readAmount(compared[2]!, unit);
  if (amount === null || amount === undefined) return null;
  if (compared![1] === ">") return { min: Math.floor(amount) + 1 };
  if (compared![1] === ">=") return { min: Math.ceil(amount) };
  const max = compared![1] === "<" ? Math.ceil(amount) - 1 : Math.floor(amount);
  return max < 0 ? null : { max };
}

function readAmount(text: string, unit: keyof typeof UNITS): number | null {
  const parts = /^(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(text.trim());
  if (!parts) return null;
  const factor = (UNITS[unit] as Record<string, number>)[parts[2]!.toLowerCase()];
  const amount = factor === undefined ? Number.NaN : Number(parts[1]) * factor;
  return Number.isSafeInteger(Math.floor(amount)) && amount < 1e15 ? amount : null;
}
