import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isAskedOtherwise } from "../../exchanges/other-sent.ts";
import { isWrite, STORING } from "../../exchanges/sent.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { oncePer } from "../../once.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, hasSeveralWords, isForeign, isTracker, quoted, requestOf } from "../../words.ts";

const MOST_WRITES = 10;

/**
 * A row of a served page that a write changes in every pass, and that came after the same write as it had been before it, though
 * the page says the same of it as in the passes.
 */
export function detectRowAsBefore(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const writes = run.facts.exchanges.filter((one) => isStoring(one, run) && one.end! <= failed.to);
  return writes.slice(-MOST_WRITES).flatMap((write): Finding[] => {
    const mine = readsAround(write, run);
    // What was sent otherwise may say what was there before.
    if (!mine || staleness(mine.after) !== null || isAskedOtherwise(evidence, write)) return [];
    const theirs = passes.map((pass) => readsLike(mine, write, run, pass));
    const [usual] = theirs;
    if (!usual || theirs.some((one) => one === null || !isSaidAlike(mine, one))) return [];
    const found = rowAsBefore(
      mine,
      theirs.flatMap((one) => one ?? []),
    );
    if (!found) return [];
    const { label, column, now, usually } = found;
    const said = usual.said.find((text) => mine.said.includes(text));
    const title = `${requestOf(mine.after, run.facts)} came with ${quoted(label, 60)} as it was before ${requestOf(write, run.facts)}, which was answered with ${write.status} as in the last pass${said === undefined ? "" : ` (the page says ${quoted(said, 80)})`}: ${column === "" ? "it has" : `${quoted(column, 40)} is`} still ${quoted(now, 60)}, where the last pass had ${quoted(usually, 60)} by then: what was written is not stored, or not yet`;
    return [
      {
        ...answerFinding(evidence, mine.after, title, 0.95),
        events: [mine.after.seq, write.seq],
        isRead: true,
        isUnstored: true,
      },
    ];
  });
}

const isStoring = (one: Exchange, run: RunEvidence): boolean =>
  STORING.has(one.method) &&
  /^(?:document|xhr|fetch)$/.test(one.type ?? "") &&
  one.end !== null &&
  one.status !== null &&
  !isFailedExchange(one) &&
  !isTracker(one.url) &&
  !isForeign(one.url, run.facts) &&
  isWrite(one, run);

/** A page right before a write and right after it, and the sentences that it has since. */
interface Around {
  before: Rows;
  after: Exchange;
  rows: Rows;
  said: string[];
}

/** The cells of each row by what its first words are; of rows that are called alike, none. */
type Rows = ReadonlyMap<string, readonly (readonly [column: string, text: string])[]>;

const isPage = (one: Exchange): boolean =>
  one.method === "GET" && one.type === "document" && one.status === 200 && one.end !== null;

function readsAround(write: Exchange, run: RunEvidence, key?: string): Around | null {
  const { exchanges } = run.facts;
  const next = exchanges.find((one) => one !== write && one.ts > write.ts && isStoring(one, run));
  const after = exchanges.find(
    (one) =>
      one.ts >= write.ts &&
      (next === undefined || one.ts < next.ts) &&
      isPage(one) &&
      (key === undefined || exchangeKey(one, run.facts) === key),
  );
  const before =
    after &&
    exchangesOf(run.facts, exchangeKey(after, run.facts)).findLast(
      (one) => one.url === after.url && one.ts < write.ts && isPage(one),
    );
  if (!before) return null;
  const known = new Set(textsIn(run, before));
  return {
    before: rowsIn(run, before),
    after,
    rows: rowsIn(run, after),
    said: textsIn(run, after).filter((text) => hasSeveralWords(text) && !known.has(text)),
  };
}

function readsLike(mine: Around, write: Exchange, run: RunEvidence, pass: RunEvidence): Around | null {
  const same = ofSameTurn(write, run.facts, pass.facts);
  return same?.status === write.status ? readsAround(same, pass, exchangeKey(mine.after, run.facts)) : null;
}

const textsIn = oncePer(({ bodies }: RunEvidence, one: Exchange): string[] =>
  textsOf(bodyOf(one, bodies) ?? ""),
);

const rowsIn = oncePer((run: RunEvidence, one: Exchange): Rows => {
  const rows = new Map<string, [string, string][] | null>();
  for (const thing of thingsOf(one, run.bodies)) {
    const cells = Object.entries(thing).map(([column, text]): [string, string] => [column, String(text)]);
    const label = cells.find(([, text]) => /\p{L}{3}/u.test(text))?.[1];
    if (label !== undefined) rows.set(label, rows.has(label) ? null : cells);
  }
  return new Map([...rows].flatMap(([label, cells]) => (cells === null ? [] : [[label, cells]])));
});

/** Whether the page says of the write what it says in a pass; a page that says nothing of it refuses nothing. */
const isSaidAlike = (mine: Around, theirs: Around | null): boolean =>
  theirs !== null && (theirs.said.length === 0 || theirs.said.some((text) => mine.said.includes(text)));

/** The first row that is the same before and after, and had one cell of its own changed in each pass. */
function rowAsBefore(
  mine: Around,
  theirs: readonly Around[],
): { label: string; column: string; now: string; usually: string } | null {
  for (const [label, cells] of mine.rows) {
    const before = mine.before.get(label);
    if (!before || !isSame(before, cells)) continue;
    const isSteady = theirs.every((one) => isSame(one.before.get(label) ?? [], before));
    const at = cells.findIndex(([, text], place) =>
      theirs.every(({ rows }) => {
        const usual = rows.get(label)?.[place]?.[1];
        return usual !== undefined && usual !== text;
      }),
    );
    if (!isSteady || at < 0) continue;
    const [column, now] = cells[at]!;
    return { label, column, now, usually: theirs[0]!.rows.get(label)![at]![1] };
  }
  return null;
}

const isSame = (one: readonly (readonly string[])[], other: readonly (readonly string[])[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
