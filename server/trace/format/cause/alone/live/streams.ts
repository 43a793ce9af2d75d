import { isBefore } from "../../compare.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isForeign, isTracker, lapse, quoted, requestOf } from "../../words.ts";

const MOST = 20;

/** Event streams that brought nothing more, or nothing at all: browsers keep these open, and open them again. */
export function detectLostStreams(evidence: Evidence): Finding[] {
  return [...refused(evidence), ...ended(evidence), ...unanswered(evidence)];
}

/** A stream that its answer forbids: browsers ask no more after a 204, or one of another type (HTML, "Server-sent events"). */
function refused(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  return streamsOf(facts).flatMap((one): Finding[] => {
    const type = one.mediaType.replace(/;.*/s, "").trim();
    const isOtherType = type !== "" && type !== "text/event-stream";
    if (one.status === null || one.status >= 300 || (one.status !== 204 && !isOtherType)) return [];
    if (!isBefore(evidence, one.ts) || isTracker(one.url) || isForeign(one.url, facts)) return [];
    return [
      {
        kind: "stream_ended",
        title: `The event stream ${requestOf(one, facts)} was answered with ${one.status === 204 ? "204" : `${one.status} and the type ${quoted(type, 60)}`}: the browser ends it, and asks no more`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: 0.86,
        about: aboutUrl(one.url, facts),
        isOverForGood: true,
      },
    ];
  });
}

const streamsOf = ({ exchanges }: RunFacts): Exchange[] =>
  lastOf(exchanges, MOST, ({ type }) => type === "eventsource");

/** A stream that came to its end. */
function ended(evidence: Evidence): Finding[] {
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

/** A stream that never began: no answer came, or one of another type, which browsers let go of without a word of it. */
function unanswered(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  // Who knows the headers of answers has those of a stream as soon as it begins, long before it ends.
  if (!facts.exchanges.some(({ headers }) => headers.length > 0)) return [];
  const streams = streamsOf(facts);
  return streams.flatMap((one): Finding[] => {
    if (one.status !== null || one.headers.length > 0 || !isBefore(evidence, one.ts)) return [];
    const isOver =
      isForeign(one.url, facts) ||
      streams.some(({ url, ts }) => url === one.url && ts > one.ts) ||
      facts.exchanges.some(({ type, ts }) => type === "document" && ts > one.ts);
    if (isOver || isTracker(one.url)) return [];
    return [
      {
        kind: "stream_ended",
        title: `The event stream ${requestOf(one, facts)} never got an answer that the browser took: none came, or one of another type than text/event-stream`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: 0.58,
        about: aboutUrl(one.url, facts),
      },
    ];
  });
}
