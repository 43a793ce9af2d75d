import { isBefore } from "../compare.ts";
import { isAnswer, toldAt, valuesOf } from "../detectors/polling.ts";
import { isLeft } from "../detectors/stopped.ts";
import type { Exchange } from "../run-facts.ts";
import { actionBefore } from "../select.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, lapse, requestOf } from "../words.ts";

/** What jobs are called while they are not done. */
const UNFINISHED =
  /^(?:queued|pending|running|processing|in[ _-]?progress|started|starting|scheduled|waiting|building|uploading|importing|exporting|preparing|working|active)$/i;
const STATE = /^(?:\w+\.){0,2}(?:state|status|phase|stage)$/i;
const MOST = 200;
const FEWEST = 2;
/** So many usual pauses without a question are an end of asking. */
const PAUSES = 3;
const SHORTEST_MS = 500;

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
    if (!last || mine.length < FEWEST) return [];
    const state = [...valuesOf(run, last)].find(
      ([path, value]) => STATE.test(path) && typeof value === "string" && UNFINISHED.test(value),
    );
    if (!state) return [];
    const told = toldAt(...state);
    const quiet = failed.to - (last.end ?? last.ts);
    const isOver = quiet > Math.max(SHORTEST_MS, PAUSES * longestPause(mine));
    if (isOver && isLeft(run.facts, last, all)) return [];
    return [
      {
        kind: isOver ? "request_unsent" : "answer_changed",
        title: isOver
          ? `The page stopped asking for ${requestOf(last, run.facts)} at ${told}, ${lapse(quiet)} before the step gave up: it had asked ${mine.length} times`
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

const longestPause = (series: readonly Exchange[]): number =>
  Math.max(...series.slice(1).map((one, at) => one.ts - series[at]!.ts));
