import { isBefore } from "../compare.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, isTracker, lapse, requestOf } from "../words.ts";

const MOST = 20;

/** An `EventSource` whose stream came to its end: browsers keep these open, and open them again. */
export function detectEndedStream(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const streams = facts.exchanges.filter(
    ({ type, status }) => type === "eventsource" && status !== null && status < 400,
  );
  return streams.slice(-MOST).flatMap((one): Finding[] => {
    const isOver = one.end !== null && one.size !== null && isBefore(evidence, one.end);
    if (!isOver || isTracker(one.url) || streams.some(({ url, ts }) => url === one.url && ts > one.ts))
      return [];
    return [
      {
        kind: "stream_ended",
        title: `The event stream ${requestOf(one, facts)} ended after ${lapse(one.end! - one.ts)} and was not opened again`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end,
        is_new: null,
        weight: 0.7,
        about: aboutUrl(one.url, facts),
      },
    ];
  });
}
