import { isBefore } from "../../compare.ts";
import { isState } from "../../detectors/requests/job-state.ts";
import { isAnswer, toldAt, valuesOf } from "../../detectors/requests/polling.ts";
import { isLeft } from "../../detectors/requests/stopped.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bareOf, bodyOf, lapse, pathOf, quoted, requestOf } from "../../words.ts";
import { holds } from "../requests/sought.ts";

/** What jobs are called while they are not done. */
const UNFINISHED =
  /^(?:queued|in[ _-]?progress|started|scheduled|active|(?:[a-z]+[ _-])?[a-z]{2,}ing(?:[ _-][a-z]+)?(?:…|\.{3})?)$/i;
/** What ends so and is no work that comes to an end. */
const LASTING =
  /^(?:not[ _-].*|missing|existing|remaining|outstanding|recurring|trialing|warning|listening|standing|living|sleeping|typing|meeting|billing|shipping|incoming|outgoing|upcoming|(?:no|any|some|every)thing)$/i;
const MOST = 200;
const FEWEST = 2;
/** So many usual pauses without a question are an end of asking. */
const PAUSES = 3;
const SHORTEST_MS = 500;
/** After its first question no page waits that long for the second. */
const QUIET_MS = 2_000;

/** A job that the page asked for time and again and that was not done: it never came to its end, or nobody asked any more. */
export function detectUnfinished(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  // What a person does in between is another question.
  const since = actionBefore(run.facts, failed)?.ts ?? run.facts.firstTs;
  return [...run.facts.byKey.values()].flatMap((all): Finding[] => {
    const asked = all
      .slice(-MOST)
      .filter((one) => one.ts >= since && isAnswer(one, run) && isBefore(evidence, one.end ?? one.ts));
    const last = asked.at(-1);
    const mine = asked.filter(({ url }) => url === last?.url);
    if (!last || (mine.length < FEWEST && !isOfStarted(last, run))) return [];
    const state = [...valuesOf(run, last)].find(
      ([path, value]) => isState(path) && typeof value === "string" && isUnderWay(value),
    );
    const ended = state ? null : endedWith(evidence, mine);
    if (!state && !ended) return [];
    const told = state ? toldAt(...state) : quoted(ended!.shown, 80);
    const quiet = failed.to - (last.end ?? last.ts);
    const isOver =
      quiet > (mine.length < FEWEST ? QUIET_MS : Math.max(SHORTEST_MS, PAUSES * longestPause(mine)));
    if (!isOver && mine.length < FEWEST) return [];
    if (isOver ? isLeft(run.facts, last, all) : !state) return [];
    return [
      {
        kind: isOver ? "request_unsent" : "answer_changed",
        title: isOver
          ? `The page stopped asking for ${requestOf(last, run.facts)} at ${told}, ${lapse(quiet)} before the step gave up: it had asked ${mine.length === 1 ? "only once" : `${mine.length} times`}${ended ? `, and the last answer came with ${ended.status}, where those before had 200` : ""}`
          : `${requestOf(last, run.facts)} still answered ${told} when the step gave up, after ${mine.length} questions in ${lapse(last.ts - mine[0]!.ts)}`,
        detail: null,
        step_id: last.step_id,
        events: mine.slice(-3).map(({ seq }) => seq),
        ts: Math.max(last.end ?? last.ts, failed.from),
        is_new: null,
        weight: 0.82,
        about: aboutUrl(last.url, run.facts),
      },
    ];
  });
}

/** Whether what is asked for is a job that a write had just started, by the id that this was answered with. */
function isOfStarted(one: Exchange, { facts, bodies }: RunEvidence): boolean {
  const id = pathOf(one.url).split("/").at(-1) ?? "";
  return facts.exchanges.some(
    (write) =>
      write.method === "POST" &&
      write.status === 202 &&
      write.ts < one.ts &&
      leavesOf(jsonOf(bodyOf(write, bodies) ?? "")).some(({ value }) => String(value) === id),
  );
}

/** Whether a state is of work that is not done. */
export const isUnderWay = (state: string): boolean => UNFINISHED.test(state) && !LASTING.test(state);

/** So many questions are asked time and again. */
const FEWEST_ALIKE = 3;
const SHORTEST = 3;
/** Statuses that end no asking by themselves: with 201 there is what was asked for. */
const USUAL: ReadonlySet<number | null> = new Set([200, 201, 304]);

/** What the page shows of the last answer, where that came with another status than all before: by it a server may end the asking (286 does so for htmx). */
function endedWith(
  { run, failed }: Evidence,
  mine: readonly Exchange[],
): { shown: string; status: number } | null {
  const last = mine.at(-1)!;
  const shown = bareOf(failed.received ?? "");
  // After 202 any other status is the end that was waited for.
  const isOther =
    mine.length >= FEWEST_ALIKE &&
    !USUAL.has(last.status) &&
    mine.every((one) => one === last || one.status === 200);
  return isOther && shown.length >= SHORTEST && holds(bodyOf(last, run.bodies)!, shown)
    ? { shown, status: last.status! }
    : null;
}

const longestPause = (series: readonly Exchange[]): number =>
  Math.max(...series.slice(1).map((one, at) => one.ts - series[at]!.ts));
