import { isBeside } from "../../alone/beside.ts";
import { queryOf, SECRET } from "../../exchanges/sent.ts";
import { oncePer } from "../../once.ts";
import { exchangesOf } from "../../run/keys.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { GESTURES_AND_OPENINGS, momentIn, stepKey } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { DAY_MS, monthsOf } from "../../values/dates.ts";
import { isForeign, quoted, quotedStep, requestOf } from "../../words.ts";

const MOST = 3;
/** Of one address; a page that asks more often asks by itself. */
const MOST_ASKED = 60;

/** A page that asks for the same again where every pass asks for something else, or for another day or month than all passes of that day. */
export function detectAskedDays(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  // One pass does not tell what varies.
  if (passes.length < 2) return [];
  return [...run.facts.byKey.keys()]
    .flatMap((key) => {
      const mine = askedBy(run, key).filter(({ one }) => one.ts <= failed.to);
      const theirs = passes.map((pass) => askedBy(pass, key));
      const found = mine.flatMap(({ deed }, turn) => {
        if (!theirs.every((asked) => asked[turn]?.deed === deed)) return [];
        const words = sameAgain(mine, theirs, turn) ?? otherDay(evidence, mine[turn]!, theirs, turn);
        return words === null ? [] : [findingOf(evidence, mine[turn]!, words)];
      });
      // The page shows the answer to the last one.
      return found.slice(-1);
    })
    .slice(0, MOST);
}

/** A question of a page, and what the person had done last. */
interface Asked {
  one: Exchange;
  query: ReadonlyMap<string, string>;
  step: Step;
  /** What that is called across runs. */
  deed: string;
}

function askedBy({ facts }: RunEvidence, key: string): Asked[] {
  const all = exchangesOf(facts, key);
  if (all.length > MOST_ASKED) return [];
  return all
    .filter((one) => isQuestion(one, facts))
    .flatMap((one): Asked[] => {
      const query = new Map(queryOf(one));
      const step = query.size === 0 ? undefined : deedBefore(facts, one);
      return step ? [{ one, query, step, deed: stepKey(step, facts) }] : [];
    });
}

const isQuestion = (one: Exchange, facts: RunFacts): boolean =>
  one.method === "GET" &&
  /^(?:xhr|fetch)$/.test(one.type ?? "") &&
  !isPolling(one) &&
  !isForeign(one.url, facts) &&
  !isBeside(one);

const deedBefore = (facts: RunFacts, { ts }: Exchange): Step | undefined =>
  deedsOf(facts, GESTURES_AND_OPENINGS).findLast((step) => step.ts <= ts);

const deedsOf = oncePer(({ steps }: RunFacts, names: RegExp) =>
  steps.filter(({ kind, name }) => kind === "agent.action" && names.test(name)),
);

/** What stays as it was asked for before the last deed, where every pass has another value by then. */
function sameAgain(mine: readonly Asked[], theirs: readonly Asked[][], turn: number): string | null {
  const [before, now] = [mine[turn - 1], mine[turn]!];
  const isLast = turn === mine.length - 1;
  if (!before || !isLast || before.step === now.step) return null;
  if (String([...before.query]) !== String([...now.query])) return null;
  for (const [name, value] of now.query) {
    const isMoved = theirs.every(
      (asked) =>
        asked[turn - 1]?.deed === before.deed &&
        asked[turn - 1]!.query.get(name) !== asked[turn]!.query.get(name),
    );
    const usual = theirs[0]![turn]!.query.get(name);
    if (isMoved && usual !== undefined && !SECRET.test(name))
      return `with the same ${name} ${quoted(value, 40)} as before, after ${quotedStep(now.step)}, where the last pass then asked with ${quoted(usual, 40)}`;
  }
  return null;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const MONTH = /^\d{4}-\d\d$/;
const dayOf = ({ firstTs }: RunFacts): number => Math.floor(firstTs / DAY_MS);

/** Another day or month than all passes asked for, where these ran on one day with this run. */
function otherDay(
  evidence: Evidence,
  { query, step }: Asked,
  theirs: readonly Asked[][],
  turn: number,
): string | null {
  const { run, passes } = evidence;
  if (passes.some(({ facts }) => dayOf(facts) !== dayOf(run.facts))) return null;
  for (const [name, value] of query) {
    const usual = theirs[0]![turn]!.query.get(name);
    const isSteady = theirs.every((asked) => asked[turn]!.query.get(name) === usual);
    if (!isSteady || usual === undefined || usual === value) continue;
    const apart = apartFrom(value, usual);
    if (apart === null || isGiven(value, run)) continue;
    const ends = endsOf(evidence, "passes");
    // What passes ask for as well by then was asked for in another turn.
    const isOfAnother = theirs.some((asked, at) =>
      asked.some((other) => other.query.get(name) === value && other.one.ts <= ends[at]!),
    );
    if (isOfAnother) continue;
    return `with ${name} ${quoted(value, 40)} after ${quotedStep(step)}, ${lies(apart)} the ${quoted(usual, 40)} that the last pass asked with${apart.unit === "day" && Math.abs(apart.count) === 1 ? ": a day that is made in another time zone, as in UTC, is off by one" : ""}`;
  }
  return null;
}

/** When each pass had come to where this run failed. */
const endsOf = oncePer(({ run, passes, failed }: Evidence, _: "passes"): number[] =>
  passes.map(({ facts }) => momentIn(facts, run.facts, failed) ?? Number.POSITIVE_INFINITY),
);

interface Apart {
  count: number;
  unit: "day" | "month";
}

/** How far two days or two months lie apart; null of anything else. */
function apartFrom(value: string, usual: string): Apart | null {
  const areBoth = (form: RegExp) => form.test(value) && form.test(usual);
  if (areBoth(DAY))
    return { count: Math.round((Date.parse(value) - Date.parse(usual)) / DAY_MS), unit: "day" };
  return areBoth(MONTH) ? { count: monthsOf(value) - monthsOf(usual), unit: "month" } : null;
}

const lies = ({ count, unit }: Apart): string =>
  `${Math.abs(count) === 1 ? `one ${unit}` : `${Math.abs(count)} ${unit}s`} ${count < 0 ? "before" : "after"}`;

/** Whether the test itself wrote or picked that day. */
const isGiven = (day: string, { facts }: RunEvidence): boolean =>
  facts.steps.some(({ params }) => JSON.stringify(params).includes(day));

const findingOf = ({ run }: Evidence, { one }: Asked, words: string): Finding => ({
  kind: "page_changed",
  title: `${requestOf({ ...one, url: one.url.replace(/[?#].*/s, "") }, run.facts)} was sent ${words}`,
  detail: null,
  step_id: one.step_id,
  events: [one.requestSeq ?? one.seq, one.seq],
  ts: one.ts,
  is_new: true,
  weight: 0.93,
  about: `asked ${one.seq}`,
  isOtherQuestion: true,
});
