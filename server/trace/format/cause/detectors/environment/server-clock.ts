import { isBefore } from "../../compare.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { DAY_MS, dayIn } from "../../values/dates.ts";
import { lengthOf } from "../../values/spans.ts";
import { bodyOf, headerOf, quoted, requestOf } from "../../words.ts";
import { betweenClocks } from "./between-clocks.ts";

const MINUTE = 60_000;
/** What machines that nobody sets right drift apart. */
const LEAST = 10 * MINUTE;
const MOST = 60;
const FEWEST = 2;

/** The server dates every answer (RFC 9110, 6.6.1) hours before or after the run's own clock, as in no pass. */
export function detectServerClock(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const answers = answersBefore(evidence, MOST).filter((one) => aheadBy(one, run) !== null);
  const ahead = offsetOf(answers.map((one) => aheadBy(one, run)!));
  const last = answers.at(-1);
  if (ahead === null || Math.abs(ahead) < LEAST || !last) return [];
  const usual = passes.map((pass) =>
    offsetOf(pass.facts.exchanges.flatMap((one) => aheadBy(one, pass) ?? [])),
  );
  // Where passes are dated otherwise too, their recordings were moved in time.
  if (usual.some((other) => other === null || Math.abs(other) >= LEAST)) return [];
  // Of anything else another clock explains nothing.
  const isOfTime = OF_TIME.test(
    `${failed.title} ${failed.message} ${failed.expected ?? ""} ${failed.received ?? ""}`,
  );
  const answered = refusalOfTime(evidence) ?? betweenClocks(evidence, ahead);
  const shown = isOfTime || answered ? null : dayShown(evidence, ahead);
  if (!isOfTime && !answered && shown === null) return [];
  return [
    {
      kind: "time",
      title: `The server's clock is ${lengthOf(ahead)} ${ahead > 0 ? "ahead of" : "behind"} the run's own: ${requestOf(last, run.facts)} has the Date header ${quoted(headerOf(last.headers, "date")!, 40)}${passes.length === 0 ? "" : "; in the last pass the two went alike"}${shown === null ? "" : `; the page says ${quoted(shown, 60)}`}${answered ? `; ${answered.words}` : ""}`,
      detail: null,
      step_id: last.step_id,
      events: [last.seq, ...(answered ? [answered.seq] : [])],
      ts: failed.from,
      is_new: passes.length === 0 ? null : true,
      weight: answered ? 0.97 : 0.94,
      ...(answered && { about: `clock ${answered.seq}` }),
    },
  ];
}

/** The last answer that refused something for the time that it was by then, as in no pass. */
function refusalOfTime(evidence: Evidence): { words: string; seq: number } | null {
  const { run, passes } = evidence;
  const one = run.facts.exchanges.findLast(
    (one) =>
      (one.status ?? 0) >= 400 &&
      URL.parse(one.url)?.host === run.facts.authority &&
      isBefore(evidence, one.end ?? one.ts) &&
      REFUSED_FOR_TIME.test(saidIn(bodyOf(one, run.bodies)) ?? ""),
  );
  const isUsual = passes.some(
    ({ facts }) =>
      one !== undefined &&
      exchangesOf(facts, exchangeKey(one, run.facts)).some(({ status }) => status === one.status),
  );
  if (!one || isUsual) return null;
  const said = quoted(saidIn(bodyOf(one, run.bodies))!, 100);
  return { words: `${requestOf(one, run.facts)} was answered with ${one.status}: ${said}`, seq: one.seq };
}

/** What servers say of what is over by their clock, or has not begun. */
const REFUSED_FOR_TIME =
  /\b(?:expired?|no longer valid|not (?:yet )?(?:valid|active|started|open)|too (?:late|early|old)|in the (?:past|future)|out ?dated|deadline|has (?:ended|passed|closed))\b/i;

const LONGEST = 120;
/** Places are so far from UTC. */
const FARTHEST = [-12, 0, 14].map((hours) => hours * 60 * MINUTE);

/** What the page says of the day that it is by that clock, and says in no pass; null where it says no such day. */
function dayShown({ run, passes, failed }: Evidence, ahead: number): string | null {
  const datesOf = ({ page }: RunEvidence) =>
    (page?.elements ?? []).flatMap(({ own, isHidden }) => {
      const day = isHidden || own.length > LONGEST ? null : dayIn(own);
      return day === null ? [] : [{ day, own }];
    });
  const dayAt = (zone: number, ts: number) => Math.floor((ts + zone) / DAY_MS);
  const others = FARTHEST.filter((zone) => dayAt(zone, failed.to + ahead) !== dayAt(zone, failed.to));
  const today = new Set(others.map((zone) => dayAt(zone, failed.to + ahead)));
  const usual = new Set(passes.flatMap(datesOf).map(({ day }) => day));
  return datesOf(run).find(({ day }) => today.has(day) && !usual.has(day))?.own ?? null;
}

/** What failures say that a clock made. */
const OF_TIME =
  /\b(?:today|tomorrow|yesterday|now|ago|expire[sd]?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\d\d?:\d\d|\d{4}-\d\d-\d\d|\b\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;

/** Ms by which the site's server dated an answer later than it came; null of what no server made just then. */
function aheadBy(one: Exchange, { facts }: RunEvidence): number | null {
  const { url, headers, fromNetwork, handled, end } = one;
  if (fromNetwork !== true || handled !== null || end === null) return null;
  if (URL.parse(url)?.host !== facts.authority || headerOf(headers, "age") !== null) return null;
  const date = Date.parse(headerOf(headers, "date") ?? "");
  return Number.isNaN(date) ? null : date - end;
}

/** What all agree on; null where they are few or differ. */
function offsetOf(all: readonly number[]): number | null {
  if (all.length < FEWEST) return null;
  const most = Math.max(...all);
  return most - Math.min(...all) < MINUTE ? most : null;
}
