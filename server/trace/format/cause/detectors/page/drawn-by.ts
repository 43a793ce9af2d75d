import { queryOf } from "../../exchanges/sent.ts";
import { oncePer } from "../../once.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { actionBefore, counterpart, GESTURES_AND_OPENINGS, lastOf, momentIn } from "../../run/select.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { bodyOf, isForeign, isTracker, pathOf } from "../../words.ts";

/** What came later than this before the page was recorded may not have been drawn yet. */
const TIME_TO_DRAW_MS = 100;
/** Requests of one name in a pass. */
const MOST_ALIKE = 20;

/**
 * The answer that drew the page as it stands since the last action, where that tells no more of itself than that it came: a page
 * or a part of one that the server renders, whose text was not recorded or is of a form that is not compared. Null where
 * the passes did not ask the same after that action, or it is known that they were answered with the same.
 */
export function drawnBy(evidence: Evidence): Exchange | null {
  const { run, passes, failed } = evidence;
  const action = actionBefore(run.facts, failed, GESTURES_AND_OPENINGS);
  if (!action || !run.page || passes.length === 0) return null;
  const by = Math.min(run.page.shot.ts, failed.to) - TIME_TO_DRAW_MS;
  const path = pathOf(run.page.shot.url);
  const [one] = lastOf(
    run.facts.exchanges,
    1,
    (each) => each.ts >= action.ts - 5 && (each.end ?? each.ts) <= by && isDrawing(each, run.facts, path),
  );
  if (!one || run.facts.exchanges.some((each) => isOpen(each, one, evidence))) return null;
  const isUsual = passes.every((pass) => {
    const same = counterpart(run.facts, action, pass.facts);
    const end = momentIn(pass.facts, run.facts, failed);
    if (!same || same.isFailed || end === null) return false;
    const others = exchangesOf(pass.facts, exchangeKey(one, run.facts))
      .slice(-MOST_ALIKE)
      .filter(
        (other) =>
          other.ts >= same.ts - 5 &&
          other.ts <= end &&
          other.status === one.status &&
          partsOf(other).join("&") === partsOf(one).join("&"),
      );
    return (
      others.length > 0 && others.every((other) => isUncompared({ one, run }, { one: other, run: pass }))
    );
  });
  return isUsual ? one : null;
}

/** Whether the page still waited for another answer, which may bring what it lacks. */
const isOpen = (each: Exchange, { ts }: Exchange, { run, failed }: Evidence): boolean =>
  each.ts >= ts &&
  each.ts < failed.to &&
  (each.end === null || each.end > failed.to) &&
  /^(?:document|fetch|xhr)$/.test(each.type ?? "") &&
  !isTracker(each.url) &&
  !isForeign(each.url, run.facts) &&
  // What is asked for time and again is always on its way.
  !exchangesOf(run.facts, exchangeKey(each, run.facts)).some(({ end }) => end !== null && end <= failed.to);

/** Whether an answer is a page, or a part of one, for the page that is looked at. What is fetched ahead is of other pages. */
function isDrawing(one: Exchange, facts: RunFacts, path: string): boolean {
  const { type, mediaType, status, url, method } = one;
  const isTaken = status !== null && ((status >= 200 && status < 300) || status === 303);
  return (
    isTaken &&
    /^(?:document|fetch|xhr)$/.test(type ?? "") &&
    (COMPONENTS.test(mediaType) ? method !== "GET" || pathOf(url) === path : MARKUP.test(mediaType)) &&
    !isTracker(url) &&
    !isForeign(url, facts)
  );
}

/** Components that a server has rendered, as React's are sent: no format that is written down. */
const COMPONENTS = /x-component/;
const MARKUP = /html|turbo-stream/;

type Drawn = { one: Exchange; run: RunEvidence };

/** Whether nothing is told by comparing two answers: one of them is not known, or they are components that are not the same to the letter. */
function isUncompared(mine: Drawn, theirs: Drawn): boolean {
  const [now, before] = [mine, theirs].map(({ one, run }) => bodyOf(one, run.bodies));
  if (now === undefined || before === undefined) return true;
  return COMPONENTS.test(mine.one.mediaType) && now !== before;
}

/** What a request asks for in its query; what begins with an underscore is there for the browser's copies. */
export const partsOf = (one: Exchange): [string, string][] =>
  queryOf(one).filter(([name]) => !name.startsWith("_"));

const MOST_ANSWERS = 40;

/** Whether an answer that the page's scripts read says something, here or in a pass: then that drew it. */
export const saidToScripts = ({ run, passes }: Evidence, text: string): boolean =>
  text.length > 2 &&
  [run, ...passes].some((each) => dataOf(each, "data").some((body) => body.includes(text)));

const dataOf = oncePer(({ facts, bodies }: RunEvidence, _: "data"): string[] =>
  lastOf(facts.exchanges, MOST_ANSWERS, isData).flatMap((one) => bodyOf(one, bodies) ?? []),
);

const isData = ({ type, mediaType }: Exchange): boolean =>
  /^(?:fetch|xhr)$/.test(type ?? "") && /json/.test(mediaType);

/** The same without what is there for the browser's copies. */
export function withoutMarks(one: Exchange): Exchange {
  const url = URL.parse(one.url);
  if (!url) return one;
  for (const name of [...url.searchParams.keys()]) if (name.startsWith("_")) url.searchParams.delete(name);
  return { ...one, url: url.href };
}
