import { otherSent } from "../exchanges/other-sent.ts";
import { SECRET } from "../exchanges/sent.ts";
import { ofSameTurn } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import { answersBefore } from "../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, isForeign, quoted, requestOf } from "../words.ts";

const MOST = 20;
const MOST_ANSWERS = 40;
/** Shorter values are the same by chance. */
const SHORTEST = 4;

/** The answer that had given, in one place, the value with which a later request was sent otherwise, where it gave every pass the one that those sent. */
export function detectGaveValue(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const asked = answersBefore(
    evidence,
    MOST,
    ({ type, url }) => type !== "api" && !isForeign(url, run.facts),
  );
  for (const one of asked) {
    const finding = givenTo(evidence, one);
    // What follows may come of the first.
    if (finding) return [finding];
  }
  return [];
}

function givenTo(evidence: Evidence, one: Exchange): Finding | null {
  const { run } = evidence;
  const other = otherSent(evidence, one);
  if (!other || SECRET.test(other.path) || other.path.startsWith("the header")) return null;
  const { now, before } = other;
  if (!isDistinct(now) || !isDistinct(before)) return null;
  const answers = answersBefore(evidence, MOST_ANSWERS, ({ end }) => end !== null && end <= one.ts);
  for (const giver of answers.reverse()) {
    const place = placeOf(evidence, giver, now, before);
    if (place === null) continue;
    return {
      kind: "answer_changed",
      title: `${requestOf(giver, run.facts)} gave ${quoted(now, 60)} for ${quoted(place, 60)}, where it gave ${quoted(before, 60)} in the last pass; ${requestOf(one, run.facts)} was sent with that as ${other.path}`,
      detail: null,
      step_id: giver.step_id,
      events: [giver.seq, one.requestSeq ?? one.seq],
      ts: giver.end ?? giver.ts,
      is_new: true,
      // Where a list goes on varies with what is in it: what was answered there says whether that matters.
      weight: 0.2,
      about: `gave ${one.seq}`,
    };
  }
  return null;
}

const isDistinct = (value: unknown): value is string => typeof value === "string" && value.length >= SHORTEST;

/** Where an answer says a value, if every pass's has the other one in that place; null where it does not. */
function placeOf({ run, passes }: Evidence, giver: Exchange, now: string, before: string): string | null {
  const text = bodyOf(giver, run.bodies) ?? "";
  if (!text.includes(JSON.stringify(now))) return null;
  const theirs = passes.map((pass) => {
    const same = ofSameTurn(giver, run.facts, pass.facts);
    return same ? valuesOf(same, pass) : new Map<string, unknown>();
  });
  const leaf = leavesOf(jsonOf(text)).find(
    ({ path, value }) => value === now && theirs.every((values) => values.get(path) === before),
  );
  return leaf?.path ?? null;
}

const valuesOf = (one: Exchange, { bodies }: RunEvidence): Map<string, unknown> =>
  new Map(leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).map(({ path, value }) => [path, value]));
