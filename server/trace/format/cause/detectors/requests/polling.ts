import { isBefore } from "../../compare.ts";
import { isLookedAt } from "../../exchanges/looked-at.ts";
import { isWrite, queryOf } from "../../exchanges/sent.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { GESTURES, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, isTracker, quoted, requestOf } from "../../words.ts";
import { isState, mostTelling } from "./job-state.ts";

/** So many answers in a row that say the same are one that does not move on. */
const FEWEST = 3;

/** What a page asks for time and again, and what never comes to what it comes to in the passes: a job that nobody does. */
export function detectPolling(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  return [...run.facts.byKey].flatMap(([key, all]): Finding[] => {
    const mine = all.filter((one) => isAnswer(one, run) && isBefore(evidence, one.end ?? one.ts));
    if (mine.length < FEWEST) return [];
    const asked = mine.slice(-FEWEST);
    if (!asked.every((one, at) => at === 0 || isAskedOn(asked[at - 1]!, one, run))) return [];
    const said = asked.map((one) => valuesOf(run, one));
    const last = said.at(-1)!;
    const theirs = passes.map((pass) => {
      // What it came to by later steps it came to for them.
      const until = momentIn(pass.facts, run.facts, failed) ?? Number.POSITIVE_INFINITY;
      const other = exchangesOf(pass.facts, key).findLast((one) => isAnswer(one, pass) && one.ts <= until);
      return other ? valuesOf(pass, other) : new Map<string, unknown>();
    });
    const stuck = mostTelling(
      [...last].filter(
        ([path, value]) =>
          said.every((values) => values.get(path) === value) &&
          theirs.every((values) => values.has(path) && values.get(path) !== value) &&
          // What comes to another end in each pass says nothing of this one.
          new Set(theirs.map((values) => values.get(path))).size === 1,
      ),
    );
    if (!stuck) return [];
    const [path, value] = stuck;
    const one = mine.at(-1)!;
    if (passes.every((pass) => isMovedByWrite(pass, run, { key, path, value, until: one.ts }))) return [];
    const wasOnceSo = passes.some((pass) =>
      exchangesOf(pass.facts, key).some(
        (other) => isAnswer(other, pass) && valuesOf(pass, other).get(path) === value,
      ),
    );
    const before = theirs[0]!.get(path);
    const isTied =
      wasOnceSo ||
      typeof value !== "number" ||
      isState(path) ||
      isLookedAt(evidence, [String(value), String(before)]) === true;
    const kept = staleness(one);
    const same = mine.length - mine.findLastIndex((other) => valuesOf(run, other).get(path) !== value) - 1;
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} ${wasOnceSo ? "still " : ""}answered ${toldAt(path, value)}, ${same} times in a row; in the last pass ${wasOnceSo ? "it came to" : "it was"} ${toldValue(before)}${kept === null ? "" : `; the last came ${kept}`}`,
        detail: null,
        step_id: one.step_id,
        events: asked.map(({ seq }) => seq),
        ts: one.end ?? one.ts,
        is_new: true,
        // That it stood still says more than what the last answer says otherwise.
        weight: isState(path) ? 0.96 : isTied ? 0.9 : STANDING,
        about: aboutUrl(one.url, run.facts),
        place: `/${path.replaceAll(".", "/")}`,
        ...(isTied && !isState(path) && { isStuck: true }),
      },
    ];
  });
}

/** Of a figure that no pass begins with: it is another one with each day's data. */
const STANDING = 0.35;

/** The value of an answer, by its place, which a run had until the moment that its last answer was asked for. */
interface Stuck {
  key: string;
  path: string;
  value: unknown;
  until: number;
}

/** Whether a pass came to another value by a write that the run had not sent by then: nothing stands still that nobody moves. */
function isMovedByWrite(pass: RunEvidence, run: RunEvidence, { key, path, value, until }: Stuck): boolean {
  const answers = exchangesOf(pass.facts, key).filter((one) => isAnswer(one, pass));
  const last = answers.findLastIndex((one) => valuesOf(pass, one).get(path) === value);
  const [before, after] = [answers[last], answers[last + 1]];
  if (!before || !after) return false;
  const sentBy = (of: RunEvidence, moment: number) => (one: Exchange) => one.ts <= moment && isWrite(one, of);
  return pass.facts.exchanges.some((one) => {
    if (one.ts < before.ts || isTracker(one.url) || !sentBy(pass, after.ts)(one)) return false;
    const write = exchangeKey(one, pass.facts);
    const sent = exchangesOf(run.facts, write).filter(sentBy(run, until));
    return sent.length < exchangesOf(pass.facts, write).filter(sentBy(pass, after.ts)).length;
  });
}

/** Whether the same was asked for again, and no other question by what a person did. */
const isAskedOn = (before: Exchange, one: Exchange, { facts }: RunEvidence): boolean =>
  String(queryOf(before)) === String(queryOf(one)) ||
  !facts.steps.some(({ name, ts }) => GESTURES.test(name) && ts > before.ts && ts <= one.ts);

/** Whether it is an answer to what a page asks for, which was read: the last one of a run may have come too late for that. */
export const isAnswer = (one: Exchange, { bodies }: RunEvidence) =>
  one.method === "GET" &&
  /^(?:xhr|fetch|api)$/.test(one.type ?? "") &&
  one.status !== null &&
  !isFailedExchange(one) &&
  !isTracker(one.url) &&
  bodyOf(one, bodies) !== undefined;

/** A part of a page that is asked for time and again is short. */
const LONGEST_PART = 10_000;

/** What an answer says, by place; ids and times left out. A part of a page says the text that it shows, at no place. */
export function valuesOf({ bodies, facts }: RunEvidence, one: Exchange): Map<string, unknown> {
  const text = bodyOf(one, bodies) ?? "";
  const value = jsonOf(text);
  if (value !== undefined)
    return new Map(leavesOf(facts.normaliser.json(value)).map((leaf) => [leaf.path, leaf.value]));
  const shown =
    /html/.test(one.mediaType) && text.length <= LONGEST_PART
      ? facts.normaliser.text(textsOf(text).join(" "))
      : "";
  return new Map(shown === "" ? [] : [["", shown]]);
}

export const toldValue = (value: unknown) =>
  quoted(typeof value === "string" ? value : JSON.stringify(value), 60);

/** A value with its place, where it has one. */
export const toldAt = (path: string, value: unknown): string =>
  `${toldValue(value)}${path === "" ? "" : ` for ${quoted(path, 80)}`}`;
