import { answerFinding } from "../../exchanges/answer-finding.ts";
import { askedFor, isRead, isWrite } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { isForeign, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 40;
/** Fewer things are no page of a list. */
const FEWEST = 3;
/** By which one page of a list is told from another. */
const PLACES =
  /^(?:page|p|page_?(?:no|number|index)|offset|skip|start|from|cursor|after|before|since|next|page_?token)$/i;
const SHORTEST = 3;

interface Page {
  one: Exchange;
  /** What it is a page of. */
  list: string;
  place: string;
  things: Record<string, unknown>[];
  ids: string[];
}

/** A page of a list whose answer begins with what the page before it had ended with. */
export function detectSameThings(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && !isForeign(one.url, facts) && !isBeside(one),
  );
  const pages = reads.flatMap((one) => pageOf(one, evidence) ?? []);
  for (const [at, page] of pages.entries()) {
    const before = pages
      .slice(0, at)
      .findLast(({ list, place }) => list === page.list && place !== page.place);
    const shared = before ? sharedBy(before, page) : 0;
    if (!before || shared === 0 || !isMet(evidence, page, shared)) continue;
    // What is put before a list in between moves all of it.
    if (facts.exchanges.some((one) => one.ts > before.one.ts && one.ts < page.one.ts && isWrite(one, run)))
      continue;
    return [
      {
        ...answerFinding(
          evidence,
          page.one,
          `${requestOf(page.one, facts)} answered with ${shared === 1 ? `${quoted(calledOf(page), 60)} first, which was the last one of the page before it` : `${shared} things first that the page before it had ended with, ${quoted(calledOf(page), 60)} the first of them`} (${requestOf(before.one, facts)}): the pages overlap`,
          0.88,
        ),
        events: [page.one.seq, before.one.seq],
        ts: failed.from,
      },
    ];
  }
  return [];
}

function pageOf(one: Exchange, { run }: Evidence): Page | null {
  const query = askedFor(one, run);
  const things = thingsOf(one, run.bodies);
  const ids = things.flatMap(({ id }) =>
    typeof id === "string" || typeof id === "number" ? [String(id)] : [],
  );
  if (ids.length < things.length || new Set(ids).size < ids.length) return null;
  const isPlace = ([name]: [string, string]) => PLACES.test(name);
  const rest = query.filter((entry) => !isPlace(entry)).map(([name, value]) => `${name}=${value}`);
  return {
    one,
    things,
    ids,
    list: `${one.url.replace(/[?#].*/s, "")} ${one.operation} ${rest.sort().join("&")}`,
    place: query
      .filter(isPlace)
      .map(([name, value]) => `${name}=${value}`)
      .join("&"),
  };
}

/** How many things a page begins with that the one before it ended with; all of them are the same page twice. */
function sharedBy(before: Page, page: Page): number {
  const at = before.ids.indexOf(page.ids[0] ?? "");
  const shared = at < 0 ? 0 : before.ids.length - at;
  const isEnd = before.ids.slice(at).every((id, place) => id === page.ids[place]);
  return at > 0 && isEnd && shared < page.ids.length && before.ids.length >= FEWEST ? shared : 0;
}

/** Whether the failed step counts things, or speaks of one of those that came twice. */
function isMet({ failed }: Evidence, { things }: Page, shared: number): boolean {
  if (/count|length/i.test(`${failed.title} ${failed.message}`)) return true;
  const said = `${failed.received ?? ""} ${failed.message}`;
  return things
    .slice(0, shared)
    .some((thing) =>
      leavesOf(thing).some(
        ({ value }) => typeof value === "string" && value.length >= SHORTEST && said.includes(value),
      ),
    );
}

/** What a person calls the first thing of a page, else its id. */
function calledOf({ things: [first] }: Page): string {
  const name = NAMES.find((key) => typeof first?.[key] === "string");
  return String(first?.[name ?? "id"]);
}

const NAMES = ["name", "title", "label", "description", "subject", "text"];
