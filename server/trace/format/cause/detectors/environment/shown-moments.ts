import { CHANGING, requestBodyOf } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { clocksIn, DATE } from "../../values/clock-texts.ts";
import { EPOCH, isDateIn, isDayIn } from "../../values/dates.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";

/** What an answer or a write says of the day that the page shows in the place of the wanted one, as a clause; empty where none does. */
export const shownDayOf = (evidence: Evidence): string =>
  zonesOf(evidence) || instantOf(evidence) || sentOf(evidence);

/** The same of a time. */
export const shownTimeOf = (evidence: Evidence): string => zonelessOf(evidence) || zonesOf(evidence);

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/;
/** Where only a day is meant, the zone of it is a mistake. */
const MIDNIGHT = /T00:00(?::00(?:\.0+)?)?(?:Z|\+00:?00)$/;

/** The moment that an answer gives for the wanted day: in other zones it is another day. */
function instantOf(evidence: Evidence): string {
  const { expected, received } = evidence.failed;
  const found = answeredText(evidence, (value) => {
    // The rest costs more.
    if (!INSTANT.test(value) || !expected!.includes(String(new Date(value).getUTCDate()))) return false;
    const isSaid = MIDNIGHT.test(value) ? isDayIn : isDateIn;
    return isSaid(value, expected!) && !isSaid(value, received!);
  });
  return found === null ? "" : `${found}, which is another day in another zone`;
}

/** The write that had such a day in it already: it was not read otherwise, but sent so. */
function sentOf({ run, failed }: Evidence): string {
  const day = /\d{4}-\d\d-\d\d/.exec(bareOf(failed.received!))?.[0];
  const write =
    day === undefined
      ? undefined
      : run.facts.exchanges.findLast(
          (one) =>
            CHANGING.has(one.method) &&
            one.ts <= failed.to &&
            leavesOf(requestBodyOf(one, run)).some(({ value }) => value === day),
        );
  const leaf = write && leavesOf(requestBodyOf(write, run)).find(({ value }) => value === day);
  return write && leaf
    ? `; ${requestOf(write, run.facts)} was sent with ${quoted(day!, 20)} for ${quoted(leaf.path, 60)} already`
    : "";
}

const ZONELESS = /^\d{4}-\d\d-\d\dT(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?$/;

/** The time that the page shows as an answer gives it, without a zone: it is taken as one of the browser's own. */
function zonelessOf(evidence: Evidence): string {
  const [want, got] = [evidence.failed.expected!, evidence.failed.received!].map(clocksIn) as [
    Set<string>,
    Set<string>,
  ];
  const found = answeredText(evidence, (value) => {
    const [, hours, minutes] = ZONELESS.exec(value) ?? [];
    const clock = `${hours}:${minutes}`;
    return hours !== undefined && got.has(clock) && !want.has(clock);
  });
  return found === null ? "" : `${found}, which names no zone: browsers take it as their own`;
}

/** The moment of an answer that the page shows in another zone than the test wants it: each by how far it is from UTC. */
function zonesOf(evidence: Evidence): string {
  const { expected, received } = evidence.failed;
  const [want, got] = [clocksIn(expected!), clocksIn(received!)].map(onlyOne);
  if (want === null || got === null) return "";
  let words = "";
  const found = answeredLeaf(evidence, (value) => {
    const moment = momentOf(value);
    const now = moment && offsetOf(moment, got!, received!);
    const wanted = moment && offsetOf(moment, want!, expected!);
    if (moment === null || now === null || wanted === null || now === wanted) return false;
    words = `${now === 0 ? "as it is in UTC" : `as ${zoneAt(now, moment)}`}, where the test wants it as ${zoneAt(wanted, moment)}`;
    return true;
  });
  return found === null ? "" : `${found}: the page shows it ${words}`;
}

const onlyOne = (clocks: Set<string>): string | null => (clocks.size === 1 ? [...clocks][0]! : null);

/** A moment as answers give it; null where it is none, or the beginning of a day in UTC. */
function momentOf(value: unknown): Date | null {
  if (typeof value === "number") return value >= EPOCH[0] && value <= EPOCH[1] ? new Date(value) : null;
  if (typeof value !== "string" || !INSTANT.test(value) || MIDNIGHT.test(value)) return null;
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

const DAY_MIN = 24 * 60;
/** How far the zones of the world are from UTC, minutes. */
const FARTHEST = { west: -11 * 60, east: 13 * 60 };

/** How far from UTC a moment is told by a text, minutes; null where the text tells another moment. */
function offsetOf(moment: Date, clock: string, text: string): number | null {
  const [hours, minutes] = clock.split(":").map(Number) as [number, number];
  const apart = hours * 60 + minutes - (moment.getUTCHours() * 60 + moment.getUTCMinutes());
  // Most zones are whole hours apart, and any other minute of an answer may be another moment.
  if (apart % 60 !== 0) return null;
  const offset = apart < FARTHEST.west ? apart + DAY_MIN : apart > FARTHEST.east ? apart - DAY_MIN : apart;
  const local = new Date(moment.getTime() + offset * 60_000);
  if (DATE.test(text)) return isDayOf(local, text) ? offset : null;
  // A time without a day is known by that it is a round one.
  return moment.getUTCSeconds() === 0 ? offset : null;
}

/** Whether a text says day and month of a moment, by name or in figures. */
export function isDayOf(local: Date, text: string): boolean {
  const iso = local.toISOString();
  const day = [local.getUTCDate(), local.getUTCMonth() + 1];
  // The texts of neighbouring cells may stand right beside a date.
  return (text.match(new RegExp(DATE.source, "gi")) ?? []).some((date) => {
    const [, first, second] = /^(\d{1,2})[./-](\d{1,2})(?!\d)/.exec(date) ?? [];
    return (
      isDayIn(iso, date) ||
      date === iso.slice(0, 10) ||
      [day, day.toReversed()].some(([one, other]) => Number(first) === one && Number(second) === other)
    );
  });
}

/** One city for each zone in which many people live. */
const CITIES = [
  ["America/Los_Angeles", "America/Denver", "America/Chicago", "America/New_York", "America/Sao_Paulo"],
  ["Europe/London", "Europe/Berlin", "Europe/Athens", "Europe/Moscow", "Asia/Dubai", "Asia/Karachi"],
  ["Asia/Dhaka", "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "Pacific/Auckland"],
  ["Pacific/Honolulu", "America/Anchorage", "America/Halifax"],
].flat();

/** `in UTC−8, the zone of Los Angeles` */
function zoneAt(offset: number, moment: Date): string {
  if (offset === 0) return "in UTC";
  const zone = CITIES.find((name) => offsetIn(name, moment) === offset);
  const city = zone?.slice(zone.indexOf("/") + 1).replaceAll("_", " ");
  return `in UTC${offset < 0 ? "−" : "+"}${Math.abs(offset / 60)}${city === undefined ? "" : `, the zone of ${city}`}`;
}

/** How far from UTC a zone is at that moment, minutes. */
function offsetIn(timeZone: string, moment: Date): number {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(
    moment,
  );
  const named = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(named) ?? [];
  return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** The last answer with such a text in it, as a clause. */
const answeredText = (evidence: Evidence, isWanted: (value: string) => boolean): string | null =>
  answeredLeaf(evidence, (value) => typeof value === "string" && isWanted(value));

/** The last answer with such a value in it, as a clause. */
function answeredLeaf(evidence: Evidence, isWanted: (value: unknown) => boolean): string | null {
  for (const one of answersBefore(evidence, MOST_ANSWERS).toReversed()) {
    const leaf = leavesOf(jsonOf(bodyOf(one, evidence.run.bodies) ?? "")).find(({ value }) =>
      isWanted(value),
    );
    if (leaf)
      return `; ${requestOf(one, evidence.run.facts)} answered ${quoted(String(leaf.value), 40)} for ${quoted(leaf.path, 60)}`;
  }
  return null;
}

const MOST_ANSWERS = 60;
