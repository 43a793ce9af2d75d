import { queryOf, SECRET } from "../../exchanges/sent.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isForeign, pathOf, requestOf, withoutQuery } from "../../words.ts";
import { partAsSaid } from "./given-in-query.ts";

const MOST = 20;
/** Of a pass or a run, as far as questions are looked for in it. */
const MOST_READS = 200;

/** A question that keeps a part of the one before it, which every pass gives up when it asks for that: the page of a list that is filtered anew. */
export function detectKeptPart(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  for (const one of answersBefore(evidence, MOST, isRead(run)).toReversed()) {
    const kept = keptIn(evidence, one);
    if (kept === null) continue;
    const { part, usual, fresh } = kept;
    const usually = usual === null ? "asks without it" : `asks with ${partAsSaid([part[0], usual])}`;
    return [
      {
        kind: "page_changed",
        title: `${requestOf({ ...one, url: withoutQuery(one.url) }, run.facts)} was asked with ${partAsSaid(part)}, where the last pass ${usually}: it was kept from the question before, though ${partAsSaid(fresh)} was new`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq, one.seq],
        ts: one.ts,
        is_new: true,
        weight: 0.92,
        about: `body ${one.seq}`,
        isOtherQuestion: true,
      },
    ];
  }
  return [];
}

const isRead =
  ({ facts }: RunEvidence) =>
  (one: Exchange): boolean =>
    one.method === "GET" &&
    /^(?:xhr|fetch)$/.test(one.type ?? "") &&
    !isPolling(one) &&
    !isForeign(one.url, facts);

type Part = [name: string, value: string];

interface Kept {
  part: Part;
  /** What the passes ask for in its place; null where they leave it out. */
  usual: string | null;
  /** A part that was new with this question, there as here. */
  fresh: Part;
}

/** What a question kept; null where it is asked so in a pass, or this run asks as the passes do as well. */
function keptIn({ run, passes }: Evidence, one: Exchange): Kept | null {
  const turn = turnsOf(run, one).find(({ exchange }) => exchange === one);
  const fresh = turn && changedIn(turn).find(([name]) => !SECRET.test(name));
  if (!turn || !fresh) return null;
  const all = passes.map((pass) => {
    const turns = turnsOf(pass, one);
    const isAskedSo = turns.some(({ asked }) => partsApart(asked, turn.asked).length === 0);
    return isAskedSo
      ? null
      : (turns.map((other) => givenUpIn(turn, other)).find((name) => name !== null) ?? null);
  });
  const [first] = all;
  const isAlike = first && all.every((other) => other?.name === first.name && other.usual === first.usual);
  if (!isAlike) return null;
  return { part: [first.name, turn.asked.get(first.name)!], usual: first.usual, fresh };
}

/** A question with the one before it to the same address. */
interface Turn {
  exchange: Exchange;
  asked: ReadonlyMap<string, string>;
  before: ReadonlyMap<string, string>;
}

function turnsOf(run: RunEvidence, { url }: Exchange): Turn[] {
  const path = pathOf(url);
  const reads = lastOf(
    run.facts.exchanges,
    MOST_READS,
    (one) => isRead(run)(one) && pathOf(one.url) === path,
  );
  return reads.slice(1).map((exchange, at) => ({
    exchange,
    asked: new Map(queryOf(exchange)),
    before: new Map(queryOf(reads[at]!)),
  }));
}

/** The parts that a question has otherwise than the one before it, or has anew. */
const changedIn = ({ asked, before }: Turn): Part[] =>
  [...asked].filter(([name, value]) => before.get(name) !== value);

/** The names of the parts that two questions have otherwise, or that one of them lacks. */
const partsApart = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));

/** The one part that a question of a pass gave up and this one kept, where they ask for the same besides and had asked for the same before. */
function givenUpIn(mine: Turn, theirs: Turn): { name: string; usual: string | null } | null {
  const [name, ...more] = partsApart(mine.asked, theirs.asked);
  if (name === undefined || more.length > 0 || SECRET.test(name)) return null;
  const value = mine.asked.get(name);
  const isGivenUp =
    value !== undefined && mine.before.get(name) === value && theirs.before.get(name) === value;
  return isGivenUp && partsApart(mine.before, theirs.before).length === 0
    ? { name, usual: theirs.asked.get(name) ?? null }
    : null;
}
