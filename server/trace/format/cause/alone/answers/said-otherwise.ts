import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith, isAskedAlike, isRead, isWrite } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { targetOf } from "../../page/target.ts";
import { topicsOf } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { byFactor } from "../../values/figures.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { isForeign, isTracker, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const MOST_READS = 10;
/** So many fields that are alike say that two answers are of one thing. */
const FEWEST_ALIKE = 2;
/** How much it explains where the step is about that field, and where nothing ties it to the step. */
const TIED = 0.88;
const UNTIED = 0.6;

type Thing = Record<string, unknown>;

/** An answer about one thing that has no value, or one in another unit, where a list had said it of the same thing, and nothing was written in between. */
export function detectSaidOtherwise(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && /^(?:xhr|fetch)$/.test(one.type ?? "") && !isForeign(one.url, run.facts),
  ).toReversed();
  for (const [at, one] of reads.slice(0, MOST_READS).entries()) {
    const thing = thingIn(one, run);
    if (!thing) continue;
    for (const other of reads.slice(at + 1)) {
      const listed = isAskedAlike(other, one) ? undefined : listedIn(other, thing, run);
      const field = listed && otherField(evidence, thing, listed);
      if (listed && field && !isWrittenBetween(other, one, run))
        return [findingOf(evidence, { one, other, thing, listed, field })];
    }
  }
  return [];
}

interface Said {
  one: Exchange;
  other: Exchange;
  thing: Thing;
  listed: Thing;
  field: string;
}

function findingOf(evidence: Evidence, { one, other, thing, listed, field }: Said): Finding {
  const { run } = evidence;
  const [now, before] = [thing[field], listed[field]];
  const title = `${requestOf(one, run.facts)} answered ${quoted(String(now), 40)} for ${quoted(field, 60)}, where ${requestOf(other, run.facts)} had ${quoted(String(before), 40)} for it just before${byFactor(now, before).replace(/^, /, ": it is ")}`;
  const finding = answerFinding(evidence, one, title, isSpokenOf(evidence, field) ? TIED : UNTIED);
  return { ...finding, events: [one.seq, other.seq] };
}

/** The one thing that an answer is about, which may stand in a part of its own. */
function thingIn(one: Exchange, run: RunEvidence): Thing | undefined {
  const value = answeredWith(one, run);
  const parts = isRecord(value) ? [value, ...Object.values(value).filter(isRecord)] : [];
  return parts.find(({ id }) => isId(id));
}

const isId = (id: unknown): boolean => typeof id === "number" || (typeof id === "string" && id !== "");

const listedIn = (other: Exchange, thing: Thing, { bodies }: RunEvidence): Thing | undefined =>
  thingsOf(other, bodies).find(
    (one) =>
      one.id === thing.id &&
      Object.entries(one).filter(
        ([name, value]) => name !== "id" && isTelling(value) && thing[name] === value,
      ).length >= FEWEST_ALIKE,
  );

const isTelling = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || (typeof value === "number" && value !== 0);

/** The field that the two have otherwise: of several the one that the step is about. */
function otherField(evidence: Evidence, thing: Thing, listed: Thing): string | undefined {
  const others = Object.keys(listed).filter((name) => {
    const [now, before] = [thing[name], listed[name]];
    return isTelling(before) && (now === null || byFactor(now, before) !== "");
  });
  return others.find((name) => isSpokenOf(evidence, name)) ?? others[0];
}

const isSpokenOf = (evidence: Evidence, field: string): boolean => {
  const spoken = new Set(topicsOf(targetOf(evidence)));
  return topicsOf(field).some((topic) => spoken.has(topic));
};

const isWrittenBetween = (from: Exchange, to: Exchange, run: RunEvidence): boolean =>
  run.facts.exchanges.some(
    (one) => one.ts >= from.ts && one.ts <= to.ts && isWrite(one, run) && !isTracker(one.url),
  );
