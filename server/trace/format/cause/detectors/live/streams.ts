import { isBefore } from "../../compare.ts";
import { queryOf, SECRET } from "../../exchanges/sent.ts";
import { exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isToken } from "../../values/made-values.ts";
import { aboutUrl, addressOf, isTracker, lapse, pathOf, quoted, requestOf } from "../../words.ts";

/** Streams of server-sent events that ended or never began, where every pass had them open to the end. */
export function detectStreams(evidence: Evidence): Finding[] {
  return [...ended(evidence), ...lost(evidence), ...openedOtherwise(evidence)];
}

/** They were asked for something else than in every pass, and may tell of it alone. */
function openedOtherwise({ run, passes, failed }: Evidence): Finding[] {
  const { facts } = run;
  if (passes.length === 0) return [];
  for (const one of facts.exchanges.filter((each) => isStream(each) && each.ts <= failed.to)) {
    const theirs = passes.map((pass) =>
      pass.facts.exchanges.filter((other) => isStream(other) && pathOf(other.url) === pathOf(one.url)),
    );
    for (const [name, value] of queryOf(one)) {
      const usual = new Set(theirs.flat().map((other) => Object.fromEntries(queryOf(other))[name]));
      const [before] = usual;
      const isSteady = usual.size === 1 && theirs.every((list) => list.length > 0);
      if (!isSteady || before === undefined || before === value) continue;
      // What is made for each run tells nothing, and one pass does not tell that it is.
      if (SECRET.test(name) || isToken(value) || isToken(before)) continue;
      return [
        {
          kind: "page_changed",
          title: `The event stream ${addressOf(one.url.replace(/[?#].*/s, ""), facts)} was opened with the parameter ${name} ${quoted(value, 60)} where the last pass had ${quoted(before, 60)}: what it brings may be of that alone`,
          detail: null,
          step_id: one.step_id,
          events: [one.requestSeq ?? one.seq],
          // It matters where the page waits for what it brings.
          ts: Math.max(one.ts, failed.from),
          is_new: true,
          weight: 0.86,
          about: aboutUrl(one.url, facts),
        },
      ];
    }
  }
  return [];
}

/** Nothing more came over them. */
function ended(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts } = run;
  const findings: Finding[] = [];
  for (const [key, all] of facts.byKey) {
    const streams = all.filter((one) => isStream(one) && isBefore(evidence, one.ts));
    const last = streams.at(-1);
    if (!last || !streams.every((one) => isOver(one) && isBefore(evidence, one.end!))) continue;
    const theirs = passes.map(({ facts: other }) => exchangesOf(other, key).filter(isStream));
    // Whether a stream is meant to last is known from the passes alone.
    if (theirs.length === 0 || !theirs.every((list) => list.some((one) => !isOver(one)))) continue;
    findings.push({
      kind: "stream_ended",
      title: `The event stream ${requestOf(last, facts)} ${last.status === 204 ? "was answered with 204, which tells a page to stop asking, and " : ""}ended after ${lapse(last.end! - last.ts)}${againOf(streams)}; in the last pass it stayed open`,
      detail: null,
      step_id: last.step_id,
      events: [last.seq],
      ts: last.end,
      is_new: true,
      weight: isTracker(last.url) ? 0.4 : 0.86,
      about: aboutUrl(last.url, facts),
    });
  }
  return findings;
}

/** Streams of which no answer is known, where every pass got one: the browser gave them up, or nothing came. */
function lost({ run, passes, failed }: Evidence): Finding[] {
  const { facts } = run;
  return [...facts.byKey].flatMap(([key, all]): Finding[] => {
    const one = all.findLast(({ ts }) => ts <= failed.to);
    const isLost =
      one?.type === "eventsource" && all.every(({ status, error }) => status === null && error === null);
    const theirs = passes.map(({ facts: other }) => exchangesOf(other, key));
    if (!isLost || passes.length === 0 || isTracker(one.url) || !theirs.every((list) => list.some(isStream)))
      return [];
    return [
      {
        kind: "stream_ended",
        title: `The event stream ${requestOf(one, facts)} got no answer that the browser took: none came, or one of another content type than text/event-stream; in the last pass it was open (${theirs[0]!.find(isStream)!.status})`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.ts,
        is_new: true,
        weight: 0.86,
        about: aboutUrl(one.url, facts),
      },
    ];
  });
}

const againOf = ({ length }: Exchange[]) => (length > 1 ? `, ${length} times over` : "");

const isStream = ({ type, mediaType, status }: Exchange) =>
  status !== null && status < 400 && (type === "eventsource" || mediaType.includes("event-stream"));

/** An answer whose size is known has come to its end. */
const isOver = ({ size, end, status }: Exchange) => end !== null && (size !== null || status === 204);
