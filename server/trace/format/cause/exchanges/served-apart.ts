import { oncePer } from "../once.ts";
import { textsOf } from "../page/page-texts.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { bodyOf } from "../words.ts";
import { thingsOf } from "./things.ts";

/** A text of a served page where every pass has another one in its place. */
export interface TextApart {
  now: string;
  before: string;
  /** The texts right before it and right after it. */
  behind: string;
  ahead: string;
  /** What the row of a table is called that it stands in; null where it stands in none. */
  row: string | null;
}

/** A page of the run, in the order in which they were opened. */
export interface ServedPage {
  page: Exchange;
  texts: readonly string[];
  /** Null where passes do not have the page in this turn, or as many texts on it. */
  apart: TextApart[] | null;
}

const MOST_PAGES = 60;
const MOST_APART = 40;

/** The pages that a server rendered for the run, each with what it says otherwise than the same page in every pass. */
export const servedPages = oncePer((evidence: Evidence, _: "served"): ServedPage[] => {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return run.facts.exchanges
    .filter(isServed)
    .slice(0, MOST_PAGES)
    .map((page) => ({ page, texts: textsIn(run, page), apart: apartFrom(page, run, passes) }));
});

const isServed = ({ method, type, status, mediaType }: Exchange): boolean =>
  method === "GET" && type === "document" && status === 200 && /html/.test(mediaType);

function apartFrom(page: Exchange, run: RunEvidence, passes: readonly RunEvidence[]): TextApart[] | null {
  const key = exchangeKey(page, run.facts);
  const nth = exchangesOf(run.facts, key).filter(isServed).indexOf(page);
  const mine = textsIn(run, page);
  const theirs = passes.map((pass) => {
    const other = exchangesOf(pass.facts, key).filter(isServed)[nth];
    return other ? textsIn(pass, other) : [];
  });
  if (mine.length === 0 || theirs.some((texts) => texts.length !== mine.length)) return null;
  const { text: named } = run.facts.normaliser;
  const rows = rowsIn(run, page);
  const usual = theirs[0]!;
  const apart: TextApart[] = [];
  for (let at = 0; at < mine.length && apart.length < MOST_APART; at++) {
    const [now, before] = [mine[at]!, usual[at]!];
    // What differs between passes differs always.
    const isSteady = theirs.every((texts) => texts[at] === before);
    if (isSteady && now !== before && named(now) !== named(before))
      apart.push({
        now,
        before,
        behind: mine[at - 1] ?? "",
        ahead: mine[at + 1] ?? "",
        row: rowOf(rows, mine, at),
      });
  }
  return apart;
}

/** Texts of one letter count as well: so short is a number of things. */
const textsIn = oncePer(({ bodies }: RunEvidence, page: Exchange): string[] =>
  textsOf(bodyOf(page, bodies) ?? "", 1),
);

/** What each row of a page's table is called, and the texts in it. */
const rowsIn = oncePer(({ bodies }: RunEvidence, page: Exchange): string[][] =>
  thingsOf(page, bodies).map((thing) => Object.values(thing).map(String)),
);

/** The row that has a text, where the row's name comes before it on the page. */
function rowOf(rows: readonly string[][], texts: readonly string[], at: number): string | null {
  const text = texts[at]!;
  const names = rows.flatMap((cells) => {
    const [name] = cells.filter((cell) => /\p{L}{3}/u.test(cell));
    return name !== undefined && name !== text && cells.includes(text) ? [name] : [];
  });
  const place = (name: string) => texts.lastIndexOf(name, at);
  const near = names.filter((name) => place(name) >= 0).toSorted((a, b) => place(b) - place(a));
  return near[0] ?? null;
}
