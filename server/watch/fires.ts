import { Cron } from "croner";

/** When something comes again: five cron fields or `@hourly`, read in an IANA time zone. */
export interface Schedule {
  cron: string;
  timezone: string;
}

export interface Fire {
  /** Epoch ms. */
  at: number;
  /** As clocks in the zone show it, with their offset: `2026-03-29T03:00+02:00`. */
  local: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * When a schedule fires next after a time, by croner's rule, which is that of Vixie cron: what comes in each hour follows absolute
 * time when clocks change, so that no fire is left out and none comes twice; what comes at one time of the day comes at the first
 * moment after a gap, and once where the time comes twice.
 * @returns epoch ms, later than `after`; null when it never comes again
 */
export function nextFire(schedule: Schedule, after: number): number | null {
  return nextFires(schedule, after, 1)[0] ?? null;
}

/** The same for several, in their order. */
export function nextFires(schedule: Schedule, after: number, count: number): number[] {
  // croner counts in whole seconds.
  const from = new Date(Math.floor(after / 1000) * 1000);
  return cronOf(schedule)
    .nextRuns(count, from)
    .map((at) => at.getTime());
}

/** The newest fire of a schedule at or before a time, epoch ms; null when there was none. */
export function lastFire(schedule: Schedule, until: number): number | null {
  const before = new Date(Math.floor(until / 1000) * 1000 + 1000);
  return cronOf(schedule).previousRuns(1, before)[0]?.getTime() ?? null;
}

/**
 * How many fires lie from one to another, both counted. Whole hours are not walked: a check's schedule comes in each alike.
 * @param first a fire; `last` is one too, no earlier
 */
export function countFires(schedule: Schedule, first: number, last: number): number {
  const hours = Math.floor((last - first) / HOUR_MS);
  const inAnHour = walk(schedule, first, first + HOUR_MS);
  return hours * inAnHour + walk(schedule, first + hours * HOUR_MS, last + 1);
}

/** Fires from `from`, itself one, up to `end`, not included. */
function walk(schedule: Schedule, from: number, end: number): number {
  let count = 0;
  for (let at: number | null = from; at !== null && at < end; at = nextFire(schedule, at)) count++;
  return count;
}

function cronOf({ cron, timezone }: Schedule): Cron {
  return new Cron(cron, { timezone, mode: cron.startsWith("@") ? "auto" : "5-part" });
}

/** A fire as clocks in the zone show it. */
export const showFire = (at: number, timezone: string): Fire => ({ at, local: localTime(at, timezone) });

/**
 * Where clocks of the zone change between these times, in a sentence each.
 * @param times epoch ms, in their order
 */
export function clockChanges(timezone: string, times: readonly number[]): string[] {
  const changes: string[] = [];
  for (const [place, from] of times.slice(0, -1).entries()) {
    const to = times[place + 1]!;
    for (const at of changesBetween(timezone, from, to)) changes.push(tellChange(timezone, at));
  }
  return changes;
}

const STEP_MS = 7 * 24 * HOUR_MS;

/** When the offset of a zone changes after `from`, up to `to`. Zones keep each for more than a week. */
function* changesBetween(timezone: string, from: number, to: number): Generator<number> {
  for (let start = from; start < to; start += STEP_MS) {
    const end = Math.min(start + STEP_MS, to);
    if (offsetAt(timezone, start) !== offsetAt(timezone, end)) yield changeWithin(timezone, start, end);
  }
}

function changeWithin(timezone: string, from: number, to: number): number {
  const offset = offsetAt(timezone, from);
  let [low, high] = [from, to];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timezone, middle) === offset) low = middle;
    else high = middle;
  }
  return Math.floor(high / 1000) * 1000;
}

function tellChange(timezone: string, at: number): string {
  const before = offsetAt(timezone, at - 1000);
  const after = offsetAt(timezone, at);
  const [day, shown] = atOffset(at, after).split("T") as [string, string];
  const [, would] = atOffset(at, before).split("T") as [string, string];
  if (after > before)
    return `On ${day} clocks in ${timezone} go forward from ${would} to ${shown}: the time from ${would} to ${shown} does not exist that day.`;
  return `On ${day} clocks in ${timezone} go back from ${would} to ${shown}: the time from ${shown} to ${would} comes twice that day.`;
}

function localTime(at: number, timezone: string): string {
  const offset = offsetAt(timezone, at);
  const minutes = Math.abs(offset) / MINUTE_MS;
  const text = [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
  return `${atOffset(at, offset)}${offset < 0 ? "-" : "+"}${text}`;
}

const atOffset = (at: number, offset: number): string => new Date(at + offset).toISOString().slice(0, 16);

/** How far clocks of a zone are ahead of UTC at a time, in ms. */
function offsetAt(timezone: string, at: number): number {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  const name = parts.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign, hours, minutes = "0"] = /^GMT(?:([+-])(\d\d):?(\d\d)?)?/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}
