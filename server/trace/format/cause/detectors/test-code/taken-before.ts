import { CHANGING, isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { targetOf } from "../../page/target.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
const SHORTEST = 3;

type Thing = Record<string, unknown>;

/**
 * One thing of a list that had a value before the test wrote anything to it, where every pass found none and writes to it itself only
 * later: what the test changes is shared with other runs.
 */
export function detectTakenBefore(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const had = bareOf(failed.received ?? "");
  if (failed.step?.kind !== "assertion" || had === "" || passes.length === 0) return [];
  const reads = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isForeign(one.url, run.facts));
  for (const one of reads.toReversed()) {
    const things = thingsOf(one, run.bodies);
    const [at, ...others] = new Set(passes.map((pass) => filledIn(evidence, one, things, pass)));
    if (at == null || others.length > 0) continue;
    const value = shownOf(things[at]!, had);
    if (value === undefined || hasWrittenUnder(run, one, failed.to)) continue;
    return [
      {
        kind: "test_code",
        title: `${targetOf(evidence)} had ${quoted(value, 60)} already when the test came to it, before this run wrote anything to it: ${requestOf(one, run.facts)} answered with it, where every pass finds nothing there and writes to it itself only later; another test or an earlier run has left it`,
        detail: null,
        step_id: failed.step.step_id,
        events: [failed.step.seq, one.seq],
        ts: failed.to,
        is_new: true,
        weight: 0.86,
        about: `test ${failed.step.seq}`,
      },
    ];
  }
  return [];
}

/** The place of the one thing that has a value where a pass had none, and that the pass then writes to; null where there is none, or several. */
function filledIn(
  { run, failed }: Evidence,
  one: Exchange,
  things: readonly Thing[],
  pass: RunEvidence,
): number | null {
  const moment = momentIn(pass.facts, run.facts, failed);
  const same = ofSameTurn(one, run.facts, pass.facts);
  const theirs = same && moment !== null && same.ts <= moment ? thingsOf(same, pass.bodies) : [];
  if (theirs.length !== things.length) return null;
  const isFilled = (thing: Thing, at: number) =>
    Object.keys(thing).some((name) => theirs[at]![name] === null && thing[name] != null);
  const [only, ...others] = things.flatMap((thing, at) => (isFilled(thing, at) ? [at] : []));
  const isWrittenLater = only !== undefined && isWrittenTo(pass, theirs[only]!, moment!);
  return isWrittenLater && others.length === 0 ? only : null;
}

/** The value of a thing that a text shows. */
const shownOf = (thing: Thing, text: string): string | undefined =>
  Object.values(thing)
    .filter((value) => typeof value === "string")
    .findLast((value) => value.length >= SHORTEST && text.includes(value));

/** Whether a run writes to the address of a thing from a moment on. */
const isWrittenTo = ({ facts }: RunEvidence, { id }: Thing, from: number): boolean =>
  (typeof id === "string" || typeof id === "number") &&
  facts.exchanges.some(
    ({ method, ts, url }) =>
      CHANGING.has(method) && ts >= from && pathOf(url).split("/").includes(String(id)),
  );

/** Whether a run wrote to a list, or to what is in it, up to a moment. */
const hasWrittenUnder = ({ facts }: RunEvidence, list: Exchange, to: number): boolean =>
  facts.exchanges.some(
    ({ method, ts, url }) => CHANGING.has(method) && ts <= to && pathOf(url).startsWith(pathOf(list.url)),
  );
