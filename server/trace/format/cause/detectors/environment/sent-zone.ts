import { queryOf, requestBodyOf } from "../../exchanges/sent.ts";
import { oncePer } from "../../once.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { lengthOf } from "../../values/spans.ts";
import { bodyOf, isForeign, quoted, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const MOST = 40;
const FEWEST = 2;
const QUARTER = 15 * 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** No place is farther behind UTC in which many live; what is farther is ahead of it. */
const FARTHEST_BEHIND = -10 * HOUR;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** An instant of a full quarter of an hour that the page sent, beside that of the last pass. */
interface Sent {
  one: Exchange;
  path: string;
  mine: number;
  theirs: number;
}

/** The page sent its local hours, such as the midnights of days, as instants that all lie as much apart from those of every pass: its browser runs in another time zone. */
export function detectSentZone(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const zones = [run, ...passes].map(({ environment }) => environment.timezone);
  if (passes.length === 0 || (zones[0] && zones.every((zone) => zone === zones[0]))) return [];
  const all = answersBefore(evidence, MOST, (one) => one.type !== "api" && !isForeign(one.url, run.facts))
    // What an answer gave is by no clock of the browser.
    .flatMap((one) => sentBeside(evidence, one).filter(({ mine }) => !isGiven(evidence, one, mine)));
  const [first] = all;
  if (!first || new Set(all.map(({ mine }) => mine)).size < FEWEST) return [];
  const [now, before] = [first.mine, first.theirs].map((ts) => ts % DAY) as [number, number];
  if (now === before || all.some(({ mine, theirs }) => mine % DAY !== now || theirs % DAY !== before))
    return [];
  // A changed script may take another zone for its days.
  if (changedScript(evidence) !== null) return [];
  // What is asked for from one day to another begins and ends at midnight.
  const isOfDays = all.some(({ one, mine }) => all.some((other) => other.one === one && other.mine !== mine));
  const [zone, usual] = [now, before].map(zoneOf) as [number, number];
  const apart = zone - usual;
  const words = isOfDays
    ? `The browser ran in the time zone ${toldZone(zone)}, in the passes in ${toldZone(usual)}`
    : `The browser ran in a time zone ${lengthOf(apart)} ${apart > 0 ? "ahead of" : "behind"} that of the passes`;
  return [
    {
      kind: "time",
      title: `${words}: ${requestOf(first.one, run.facts)} was sent with ${first.path} ${quoted(told(first.mine), 40)} where the last pass sent ${quoted(told(first.theirs), 40)}, the same local time`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [...new Set(all.map(({ one }) => one.requestSeq ?? one.seq))],
      ts: failed.from,
      is_new: true,
      weight: 0.96,
      about: SENT_ZONE,
    },
  ];
}

/** What the finding of another time zone is about. */
export const SENT_ZONE = "zone of what was sent";

/** The instants that a request was sent with, each beside that of the last pass, where every pass sent one of the same hour. */
function sentBeside({ run, passes }: Evidence, one: Exchange): Sent[] {
  const [last, ...others] = passes.map((pass) => {
    const same = ofSameTurn(one, run.facts, pass.facts);
    return same ? instantsOf(same, pass) : new Map<string, number>();
  });
  return [...instantsOf(one, run)].flatMap(([path, mine]): Sent[] => {
    const theirs = last?.get(path);
    if (theirs === undefined) return [];
    const isUsual = others.every((other) => (other.get(path) ?? Number.NaN) % DAY === theirs % DAY);
    return isUsual ? [{ one, path, mine, theirs }] : [];
  });
}

function instantsOf(one: Exchange, run: RunEvidence): Map<string, number> {
  const leaves = [
    ...queryOf(one).map(([name, value]) => ({ path: `the parameter ${name}`, value })),
    ...leavesOf(requestBodyOf(one, run)).map(({ path, value }) => ({ path: `the field ${path}`, value })),
  ];
  return new Map(
    leaves.flatMap(({ path, value }) => {
      const ts = instantIn(value);
      return ts === null || ts % QUARTER !== 0 ? [] : [[path, ts] as const];
    }),
  );
}

function instantIn(value: unknown): number | null {
  const ts = typeof value === "string" && INSTANT.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ts) ? null : ts;
}

/** Whether an answer before had an instant in it. */
const isGiven = (evidence: Evidence, one: Exchange, instant: number): boolean =>
  answersBefore(evidence, MOST, ({ end }) => end !== null && end <= one.ts).some((answer) =>
    givenBy(evidence.run, answer).has(instant),
  );

const givenBy = oncePer(
  ({ bodies }: RunEvidence, one: Exchange): ReadonlySet<number> =>
    new Set(leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).flatMap(({ value }) => instantIn(value) ?? [])),
);

/** How far a zone is ahead of UTC, by when its midnight is in UTC. */
const zoneOf = (midnight: number): number => (-midnight < FARTHEST_BEHIND ? DAY - midnight : -midnight);

function toldZone(zone: number): string {
  if (zone === 0) return "UTC";
  const [hours, minutes] = [Math.floor(Math.abs(zone) / HOUR), (Math.abs(zone) % HOUR) / 60_000];
  return `UTC${zone < 0 ? "−" : "+"}${hours}${minutes === 0 ? "" : `:${minutes}`}`;
}

const told = (instant: number): string => new Date(instant).toISOString();
