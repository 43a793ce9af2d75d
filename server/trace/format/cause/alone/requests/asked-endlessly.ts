import { askedOverAndOver } from "../../exchanges/asked-over-and-over.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, lapse, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const FEWEST = 10;
/** What is asked for at intervals waits longer. */
const AT_ONCE_MS = 150;

/** A question that the page asked over and over with no pause, as what is drawn anew for each answer and asks each time it is drawn. */
export function detectAskedEndlessly(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  for (const asked of askedOverAndOver(evidence)) {
    const loop = withoutPause(asked);
    const [first, last] = [loop[0], loop.at(-1)];
    if (!first || !last || loop.length < FEWEST || isBeside(last)) continue;
    return [
      {
        kind: "request_repeated",
        title: `${requestOf(last, facts)} was asked ${loop.length} times in ${lapse(last.ts - first.ts)}, each time as soon as it was answered: the page asks for the same in an endless loop`,
        detail: null,
        step_id: last.step_id,
        events: [first.seq, last.seq],
        ts: last.ts,
        is_new: null,
        weight: 0.84,
        about: aboutUrl(last.url, facts, last.operation),
      },
    ];
  }
  return [];
}

/** Those at the end that each came right after the answer before. */
function withoutPause(asked: readonly Exchange[]): Exchange[] {
  const pause = asked.findLastIndex(
    ({ end }, at) => at < asked.length - 1 && (end === null || asked[at + 1]!.ts - end > AT_ONCE_MS),
  );
  return asked.slice(pause + 1);
}
