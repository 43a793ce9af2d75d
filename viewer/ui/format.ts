/** `0 ms`, `640 ms`, `3.24 s`, `2 m 05 s`, `1 h 04 m`, `30 d 1 h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
  const hours = Math.floor(seconds / 3600);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return `${hours} h ${String(Math.floor(seconds / 60) % 60).padStart(2, "0")} m`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Decimal units, as disks and networks are sold: `812 B`, `4.1 kB`, `383 MB`. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `now`, `4 min`, `3 h`, `12 d`, `2 y`: the age of a moment. */
export function formatAge(iso: string, now: number): string {
  const minutes = (now - Date.parse(iso)) / 60_000;
  if (!Number.isFinite(minutes)) return "–";
  if (minutes < 1) return "now";
  if (minutes < 60) return `${Math.floor(minutes)} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  const days = Math.floor(minutes / 1440);
  return days < 730 ? `${days} d` : `${Math.floor(days / 365)} y`;
}

/** An age as part of a sentence: `just now`, `4 min ago`. */
export function formatAgo(iso: string, now: number): string {
  const age = formatAge(iso, now);
  return age === "now" ? "just now" : age === "–" ? age : `${age} ago`;
}

/** Made when it is first needed: making one takes longer than all else that a first screen formats. */
let wall: Intl.DateTimeFormat | undefined;

let date: Intl.DateTimeFormat | undefined;

/** The day in the reader's zone and language: `4 Mar 2026`. */
export function formatDate(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return "–";
  date ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
  return date.format(time);
}

let clock: Intl.DateTimeFormat | undefined;

/** The time of day in the reader's zone, to the millisecond: `06:30:01.165`. */
export function formatClock(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return "–";
  clock ??= new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });
  return clock.format(time);
}

/** The furthest moment that a date has, epoch ms. */
const LATEST = 8_640_000_000_000_000;

/** Date and time in the reader's zone and language; a dash for what is no moment. */
export function formatWall(at: string | number): string {
  const time = typeof at === "number" ? at : Date.parse(at);
  if (!(Math.abs(time) <= LATEST)) return "–";
  wall ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return wall.format(time);
}

let moment: Intl.DateTimeFormat | undefined;

/** Day and time of day to the millisecond, in the reader's zone: `4 Mar, 06:30:01.165`. */
export function formatMoment(ms: number): string {
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return "–";
  moment ??= new Intl.DateTimeFormat(undefined, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });
  return moment.format(Math.round(ms));
}

const MOST_PLACES = 6;

/**
 * The digits of a percentage, 0 to 100, with more places where it takes them to tell it from none and from all: 99.96 is not
 * 100, and 0.04 not 0.
 * @param places at least so many
 */
export function percentDigits(
  percent: number,
  places = 0,
  round: (value: number) => number = Math.round,
): string {
  if (percent <= 0) return (0).toFixed(places);
  if (percent >= 100) return "100";
  for (let more = places; more <= MOST_PLACES; more += 1) {
    const rounded = round(percent * 10 ** more) / 10 ** more;
    if (rounded > 0 && rounded < 100) return rounded.toFixed(more);
  }
  return percent < 50 ? "0.000001" : "99.999999";
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Position in a trace: `0.000`, `12.480`, `1:02.500`, `1:00:02.500`, `30 d 0:00:00.080`. */
export function formatOffset(ms: number): string {
  const sign = ms < 0 ? "−" : "";
  const at = Math.abs(Math.round(ms));
  const days = Math.floor(at / DAY);
  const hours = Math.floor((at % DAY) / HOUR);
  const minutes = Math.floor((at % HOUR) / 60_000);
  const seconds = ((at % 60_000) / 1000).toFixed(3);
  if (days === 0 && hours === 0)
    return minutes > 0 ? `${sign}${minutes}:${seconds.padStart(6, "0")}` : `${sign}${seconds}`;
  const clock = `${hours}:${String(minutes).padStart(2, "0")}:${seconds.padStart(6, "0")}`;
  return days > 0 ? `${sign}${days} d ${clock}` : `${sign}${clock}`;
}

export { counted as plural, grouped as formatCount } from "../../server/trace/format/words.ts";
