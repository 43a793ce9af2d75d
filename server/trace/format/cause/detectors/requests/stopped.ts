import { isBeside } from "../../alone/beside.ts";
import { isBefore } from "../../compare.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { requestOf } from "../../words.ts";
import { isOfItem, isState, mostTelling } from "./job-state.ts";
import { isAnswer, toldAt, toldValue, valuesOf } from "./polling.ts";

/** So often a page asks for the same in every pass, where it asks until it is told what it waits for. */
const FEWEST = 3;
/** The same where an answer says by its name how far the thing is. */
const FEWEST_STATES = 2;
const MOST = 200;
/** So many usual pauses without a question are an end of asking, and not a pause. */
const PAUSES = 3;
const SHORTEST_MS = 500;

/** What a page asks for again and again until it comes to its end, and stopped asking for before: each run asks by an id of its own. */
export function detectStopped(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return [...run.facts.byKey].flatMap(([key, all]): Finding[] => {
    const usual = passes.map((pass) =>
      longest(exchangesOf(pass.facts, key).filter((one) => isAnswer(one, pass))),
    );
    if (usual.some((series, at) => series.length < FEWEST_STATES || isReadAnew(series, passes[at]!.facts)))
      return [];
    const mine = longest(
      all.slice(-MOST).filter((one) => isAnswer(one, run) && isBefore(evidence, one.end ?? one.ts)),
    );
    const last = mine.at(-1);
    if (!last || usual.some(({ length }) => length <= mine.length)) return [];
    const pause = Math.max(SHORTEST_MS, PAUSES * Math.max(...usual.map(pauseOf)));
    const refused = refusedAfter(last, all);
    const end = refused ?? last;
    if (evidence.failed.to - (end.end ?? end.ts) < pause || isLeft(run.facts, end, all)) return [];
    const stuck = unfinished(run, last, passes, usual);
    if (!stuck || (usual.some(({ length }) => length < FEWEST) && !isState(stuck.path))) return [];
    if (isToldElsewhere(run, last, stuck)) return [];
    const count = mine.length + (refused ? 1 : 0);
    const times = count === 1 ? "once" : `${count} times`;
    return [
      {
        kind: "request_unsent",
        title: `The page stopped asking for ${requestOf(last, run.facts)} at ${toldAt(stuck.path, stuck.now)}${refused ? `, when it was answered with ${refused.status}` : statusOf(last, usual)}: it asked ${times}, in the last pass ${usual[0]!.length} times, until ${toldValue(stuck.end)}`,
        detail: null,
        step_id: last.step_id,
        events: [...mine.slice(-FEWEST), ...(refused ? [refused] : [])].map(({ seq }) => seq),
        ts: Math.max(end.end ?? end.ts, evidence.failed.from),
        is_new: true,
        weight: 0.88,
        about: `unsent ${key}`,
      },
    ];
  });
}

/** Whether the page asked somewhere else how far it is, and was told there what it waits for: it did not stop asking. */
function isToldElsewhere(run: RunEvidence, last: Exchange, { path, end }: { path: string; end: unknown }) {
  const name = fieldIn(path);
  return run.facts.exchanges
    .filter((one) => one.ts > last.ts && one.url !== last.url && isAnswer(one, run))
    .slice(-MOST)
    .some((one) => [...valuesOf(run, one)].some(([of, value]) => value === end && fieldIn(of) === name));
}

const fieldIn = (path: string): string => path.split(/[./]/).at(-1)!;

/** The one question after the last that was answered well, where it was answered with an error; null where none or more were asked. */
function refusedAfter(last: Exchange, all: readonly Exchange[]): Exchange | null {
  const [one, ...more] = all.filter(({ ts, url }) => ts > last.ts && url === last.url);
  return one && more.length === 0 && one.status !== null && one.status >= 400 ? one : null;
}

/** Whether something was written between the questions: a page asks anew for what it has changed, and waits for nothing. */
const isReadAnew = (series: readonly Exchange[], { exchanges }: RunFacts): boolean =>
  exchanges.some(
    (one) =>
      CHANGING.has(one.method) &&
      one.ts > series[0]!.ts &&
      one.ts < series.at(-1)!.ts &&
      !isBeside(one) &&
      isNear(one, series[0]!),
  );

/** Whether what is written is the thing that is asked for, or a part of it. */
const isNear = ({ url }: Exchange, asked: Exchange): boolean =>
  url.replace(/[?#].*/s, "").startsWith(asked.url.replace(/[?#].*/s, ""));

/** The status of the last answer, where no pass went on after it. */
const statusOf = ({ status }: Exchange, usual: readonly Exchange[][]): string =>
  usual.some((series) => series.slice(0, -1).some((one) => one.status === status))
    ? ""
    : `, which was answered with ${status}`;

/** Of questions that are called alike, those to the one address that was asked most often, the last of several. */
function longest(all: readonly Exchange[]): Exchange[] {
  let most: Exchange[] = [];
  for (const series of Map.groupBy(all.slice(-MOST), ({ url }) => url).values())
    if (series.length >= most.length) most = series;
  return most;
}

/** The longest time between two questions, ms. */
const pauseOf = (series: readonly Exchange[]): number =>
  Math.max(...series.slice(1).map((one, at) => one.ts - series[at]!.ts));

/** Whether it went on asking without an answer, or the page that asked was left. */
export const isLeft = ({ exchanges }: RunFacts, last: Exchange, all: readonly Exchange[]): boolean =>
  all.some(({ ts }) => ts > last.ts) ||
  exchanges.some(({ type, page, ts }) => type === "document" && page === last.page && ts > last.ts);

/** A value on which every pass went on asking, and which was another one in the end. */
function unfinished(
  run: RunEvidence,
  last: Exchange,
  passes: readonly RunEvidence[],
  usual: readonly Exchange[][],
): { path: string; now: unknown; end: unknown } | undefined {
  const theirs = usual.map((series, at) => series.map((one) => valuesOf(passes[at]!, one)));
  const [path, now] =
    mostTelling(
      [...valuesOf(run, last)].filter(
        ([of, value]) =>
          // Lists are read anew whenever a page needs them, and each thing of one has its own state.
          !isOfItem(of) &&
          theirs.every(
            (said) =>
              said.at(-1)!.has(of) &&
              said.at(-1)!.get(of) !== value &&
              said.slice(0, -1).some((values) => values.get(of) === value),
          ) &&
          new Set(theirs.map((said) => said.at(-1)!.get(of))).size === 1,
      ),
    ) ?? [];
  return path === undefined ? undefined : { path, now, end: theirs[0]!.at(-1)!.get(path) };
}
