import { requestText } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { lengthOf } from "../../values/spans.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const MINUTE = 60_000;
/** Less is what a slow machine adds. */
const LEAST = 10 * MINUTE;

/**
 * Times that were as old in every pass, when they came, and are of another age here: what is made for each run is an
 * hour off by the server's clock, or by a zone that is counted twice.
 */
export function detectAges(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  // A page asks for one thing a thousand times.
  const known = new Map<string, Ages[][]>();
  const usualFor = (one: Exchange): Ages[][] => {
    const key = exchangeKey(one, run.facts);
    const ages =
      known.get(key) ??
      passes.map((pass) => exchangesOf(pass.facts, key).map((other) => agesIn(other, pass)));
    known.set(key, ages);
    return ages;
  };
  return answersBefore(evidence, MOST).flatMap((one) => findingOf(evidence, one, usualFor) ?? []);
}

type Ages = Map<string, { age: number; value: string }>;

function findingOf(evidence: Evidence, one: Exchange, usualFor: (one: Exchange) => Ages[][]): Finding | null {
  const { run, failed } = evidence;
  const mine = agesIn(one, run);
  if (mine.size === 0) return null;
  const theirs = usualFor(one);
  for (const [path, { age, value }] of mine) {
    const before = theirs.map((answers) => answers.flatMap((ages) => ages.get(path) ?? []));
    if (before.some((list) => list.length === 0)) continue;
    const all = before.flat();
    // A time that stays grows older by itself, and so does one of the calendar until the next one comes.
    if (all.some((other) => other.value === value || isOfCalendar(value, other.value))) continue;
    const [youngest, oldest] = [Math.min(...all.map((o) => o.age)), Math.max(...all.map((o) => o.age))];
    const apart = age > oldest ? age - oldest : age < youngest ? age - youngest : 0;
    if (oldest - youngest > LEAST / 2 || Math.abs(apart) < LEAST || isGiven(value, one, run)) continue;
    // What was set up with the server grows older with it: of an old time only another zone tells.
    if (youngest > HOUR && !isOfZones(apart)) continue;
    const isShown = AGES.test(`${failed.expected ?? ""} ${failed.received ?? ""} ${failed.message}`);
    return {
      kind: "time",
      title:
        age < -LEAST && youngest > -MINUTE && oldest < MINUTE
          ? `${requestOf(one, run.facts)} answered a time that lies ${lengthOf(age)} ahead of the moment when it came (${quoted(path, 60)}: ${quoted(value, 40)}), where in the passes it was that moment: the server's clock is ahead of the run's`
          : `${requestOf(one, run.facts)} answered a time that is ${lengthOf(apart)} ${apart > 0 ? "older" : "younger"} than it was in the passes when it came (${quoted(path, 60)}: ${quoted(value, 40)})`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq],
      ts: one.end ?? one.ts,
      is_new: true,
      weight: isShown ? 0.9 : 0.5,
      about: `age ${aboutUrl(one.url, run.facts)}`,
    };
  }
  return null;
}

/** How pages tell how long ago something was. */
const AGES =
  /\bago\b|just now|today|yesterday|tomorrow|\b\d+ ?(?:s|m|h|d|min|hours?|days?|minutes?)\b|\d\d:\d\d/i;

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** How old each time of an answer was when it came, by its place without the numbers of lists. */
function agesIn(one: Exchange, { bodies }: RunEvidence): Ages {
  const ages: Ages = new Map();
  const text = bodyOf(one, bodies);
  for (const { path, value } of text === undefined ? [] : leavesOf(jsonOf(text))) {
    if (typeof value !== "string" || !ISO.test(value)) continue;
    const name = path.replace(/(^|\.)\d+(?=\.|$)/g, "$1*");
    const age = (one.end ?? one.ts) - Date.parse(value);
    // Of a list the newest tells most.
    if (Number.isFinite(age) && age < (ages.get(name)?.age ?? Number.POSITIVE_INFINITY))
      ages.set(name, { age, value });
  }
  return ages;
}

/** Whether two clocks may be so far apart by their zones, which differ by quarters of an hour. */
const isOfZones = (apart: number): boolean => {
  const beyond = Math.abs(apart) % QUARTER;
  return Math.min(beyond, QUARTER - beyond) < MINUTE;
};

const HOUR = 60 * MINUTE;
const QUARTER = 15 * MINUTE;
const DAY = 24 * HOUR;
const ROUND = 5 * MINUTE;

/** Whether two times are of one hour of different days, or one is on the clock's round minutes: neither is of the moment that made it. */
const isOfCalendar = (one: string, other: string): boolean =>
  (Date.parse(one) - Date.parse(other)) % DAY === 0 || Date.parse(one) % ROUND === 0;

/** Whether the page or the test gave that time itself. */
const isGiven = (value: string, { seq }: Exchange, { facts, bodies }: RunEvidence): boolean =>
  facts.exchanges.some((one) => one.seq <= seq && requestText(one, bodies).includes(value));
