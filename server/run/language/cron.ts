import { Cron } from "croner";

const FIELDS = [
  { name: "minute", values: "0 to 59" },
  { name: "hour", values: "0 to 23" },
  { name: "day of the month", values: "1 to 31, or L for the last" },
  { name: "month", values: "1 to 12, or JAN to DEC" },
  { name: "day of the week", values: "0 to 7, or SUN to SAT" },
];
const HOW = "alone, as a list (1,2), a range (1-5), or with a step (*/5, 0-30/5)";
/** Any will do: what comes once a year, or every leap year, comes again after it. */
const FROM = new Date(0);

/** What cannot be meant in a cron expression, and where it stands there; offsets in UTF-16 units. */
export interface CronProblem {
  offset: number;
  message: string;
}

/** Null when croner reads it. @param text five fields, or a name such as `@hourly` */
export function cronProblem(text: string): CronProblem | null {
  if (text.startsWith("@")) {
    if (text.toLowerCase() === "@hourly") return null;
    return {
      offset: 0,
      message: `"${text}" is no name for a schedule; there is @hourly, for at most ${MOST_MINUTES} minutes may lie between two fires`,
    };
  }
  for (const [at, { 0: field, index: offset }] of [...text.matchAll(/\S+/g)].entries()) {
    const alone = FIELDS.map((_, place) => (place === at ? field : "*")).join(" ");
    if (isReadable(alone)) continue;
    const { name, values } = FIELDS[at]!;
    return { offset, message: `"${field}" is no ${name}: ${values} was expected, ${HOW}` };
  }
  if (new Cron(text).nextRun(FROM) === null)
    return { offset: 0, message: `"${text}" never comes: no year has such a day` };
  return null;
}

function isReadable(expression: string): boolean {
  try {
    new Cron(expression, { mode: "5-part" });
    return true;
  } catch {
    return false;
  }
}

/** Between two fires of a schedule, minutes: the longest that there may be. */
export const MOST_MINUTES = 60;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** 1972 was a leap year: each day of the year comes in it. */
const LEAP_YEAR = Date.UTC(1972, 0, 1);

/** How a cron expression comes too often, or too seldom. */
export interface CadenceProblem {
  isTooOften: boolean;
  message: string;
}

/**
 * What is wrong with how often a cron expression that can be read comes; null when nothing is. Judged away from changes of the
 * clock in spring and autumn.
 * @param leastMinutes the shortest time between two fires
 */
export function cadenceProblem(text: string, leastMinutes: number): CadenceProblem | null {
  const rule = `every time between two fires must be ${leastMinutes} to ${MOST_MINUTES} minutes, as of "*/${Math.max(5, leastMinutes)} * * * *"`;
  if (text.startsWith("@")) return null;
  const [minutes = "", hours = "", ...days] = text.trim().split(/\s+/);
  const isEachHour = comesEach(`0 ${hours} * * *`, HOUR_MS, 24);
  const isEachDay = days.every((field) => field === "*") || comesEach(`0 0 ${days.join(" ")}`, DAY_MS, 366);
  if (!isEachHour || !isEachDay) return { isTooOften: false, message: `"${text}" comes too seldom: ${rule}` };
  const shortest = shortestGap(`${minutes} * * * *`);
  if (shortest >= leastMinutes) return null;
  return { isTooOften: true, message: `"${text}" comes every ${shortest} min at times: ${rule}` };
}

/** Whether an expression fires at every step of a time from the beginning of a leap year on, `count` times. */
function comesEach(expression: string, stepMs: number, count: number): boolean {
  const cron = new Cron(expression, { timezone: "UTC" });
  let before = new Date(LEAP_YEAR - 1);
  for (let at = 0; at < count; at++) {
    const next = cron.nextRun(before);
    if (next?.getTime() !== LEAP_YEAR + at * stepMs) return false;
    before = next;
  }
  return true;
}

/** In minutes, of an expression that fires in each hour alike. */
function shortestGap(expression: string): number {
  const cron = new Cron(expression, { timezone: "UTC" });
  let shortest = MOST_MINUTES;
  let before = cron.nextRun(new Date(LEAP_YEAR - 1))!.getTime();
  const end = before + HOUR_MS;
  while (before < end) {
    const next = cron.nextRun(new Date(before))!.getTime();
    shortest = Math.min(shortest, (next - before) / 60_000);
    before = next;
  }
  return shortest;
}

/** Whether a name is an IANA time zone, such as Europe/Berlin; not an offset. */
export function isTimeZone(zone: string): boolean {
  if (/^[+-]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
