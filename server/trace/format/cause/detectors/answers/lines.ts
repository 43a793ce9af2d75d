import { oneLine } from "../../../error-text.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, headerOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const MOST_LINES = 2_000;
/** What people and programs read line by line. */
const OF_LINES =
  /^(?:text\/(?:plain|csv|tab-separated-values|calendar|vcard|yaml)|application\/(?:x-)?(?:yaml|ndjson|csv))/i;

/** The line in which a table or a text that was answered is another one than in every pass. */
export function detectLines(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return answersBefore(
    evidence,
    MOST,
    (answer) => OF_LINES.test(answer.mediaType) && !isPolling(answer),
  ).flatMap((one): Finding[] => {
    const mine = linesOf(one, run, evidence);
    const key = exchangeKey(one, run.facts);
    const theirs = passes.flatMap((pass) => {
      const [other, ...more] = exchangesOf(pass.facts, key);
      const lines = other && more.length === 0 ? linesOf(other, pass, evidence) : null;
      return lines === null ? [] : [lines];
    });
    const [usual] = theirs;
    if (mine === null || !usual || theirs.length < passes.length) return [];
    // A file that is another one in each pass has no usual line.
    const isSteady = (at: number) => theirs.every((lines) => lines[at] === usual[at]);
    const at = mine.findIndex((line, place) => line !== usual[place]);
    const place = at < 0 && mine.length < usual.length ? mine.length : at;
    if (place < 0 || !isSteady(place)) return [];
    const [now, before] = [mine[place], usual[place]];
    const isCut = now !== undefined && place === mine.length - 1 && before?.startsWith(now) === true;
    const length = headerOf(one.headers, "content-length");
    const cut = `was cut off${length === null ? "" : ` (its Content-Length is ${quoted(length, 20)})`}: it ends with`;
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} ${isCut ? cut : "answered"} ${now === undefined ? `no line ${place + 1}` : `${quoted(oneLine(now), 80)} in line ${place + 1}`}, where the last pass had ${before === undefined ? "no such line" : quoted(oneLine(before), 80)}`,
        detail:
          mine.length === usual.length ? null : `It has ${mine.length} lines instead of ${usual.length}.`,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: true,
        weight: 0.8,
        about: aboutUrl(one.url, run.facts),
      },
    ];
  });
}

/** Its lines without ids and times; null for what is no text of lines. */
function linesOf(one: Exchange, { bodies }: RunEvidence, { run }: Evidence): string[] | null {
  const text = bodyOf(one, bodies);
  if (text === undefined || jsonOf(text) !== undefined || text.trimStart().startsWith("<")) return null;
  return text
    .trimEnd()
    .split(/\r?\n/, MOST_LINES)
    .map((line) => run.facts.normaliser.text(line));
}
