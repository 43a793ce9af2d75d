import { answerFinding } from "../../exchanges/answer-finding.ts";
import { dataIn } from "../../exchanges/asked-again.ts";
import { isWrite, queryOf, requestBodyOf } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const MOST_ITEMS = 500;
/** Names by which the part of a list is asked for. */
const PAGE =
  /(?:^|[._])(?:page|p|page_?(?:no|number|index|token)|offset|skip|start|from|after|before|cursor|continuation)$/i;
/** What an item of a list is called by across runs. */
const NAMES = ["title", "name", "label", "subject", "slug", "code", "sku", "email", "username", "key"];

/** Pages of a list that bring what the page before had already, or leave out what lies between two of them, as they do in no pass. */
export function detectPaged(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const mine = pagesOf(run, answersBefore(evidence, MOST));
  if (mine.size === 0) return [];
  const writes = passes.length === 0 ? run.facts.exchanges.filter((one) => isWrite(one, run)) : [];
  const theirs = passes.map((pass) => pagesOf(pass, pass.facts.exchanges.slice(-MOST * 5)));
  return [...mine].flatMap(([list, pages]): Finding[] => {
    const usual = theirs.flatMap((lists) => {
      const same = lists.get(list);
      return same === undefined ? [] : [same];
    });
    if (usual.length < passes.length || usual.some((one) => repeatedIn(one, []) !== null)) return [];
    const again = repeatedIn(pages, writes);
    const told = again ?? (passes.length === 0 ? null : leftOutOf(pages, usual));
    if (told === null) return [];
    const { one, item, other } = told;
    const request = requestOf(one, run.facts);
    const title =
      again === null
        ? `No page of the list has ${quoted(item, 80)}, with which ${request} ${other} in the last pass: the pages leave it out`
        : `${request} answered with ${quoted(item, 80)}, which the page before it (${quoted(other, 40)}) had already: the pages overlap${passes.length === 0 ? "" : ", as they do in no pass"}`;
    return [answerFinding(evidence, one, title, passes.length === 0 ? 0.8 : 0.95)];
  });
}

/** A part of a list, as it was answered. */
interface Page {
  one: Exchange;
  /** By which it was asked for; empty for the first one, which needs none. */
  place: string;
  /** What its items are called by, in their order. */
  items: string[];
  /** The same with their own ids, where they have any: two things may go by one name. */
  things: string[];
}

interface Told {
  one: Exchange;
  item: string;
  /** Where it stood else. */
  other: string;
}

/** The pages of each list of which more than one was asked for, the last answer to each. */
function pagesOf(run: RunEvidence, exchanges: readonly Exchange[]): Map<string, Page[]> {
  const lists = new Map<string, Map<string, Page>>();
  for (const one of exchanges) {
    const asked = askedFor(one, run);
    if (asked === null) continue;
    const said = itemsOf(one, run);
    if (said === null) continue;
    const pages = lists.get(asked.list) ?? new Map<string, Page>();
    lists.set(asked.list, pages);
    pages.set(asked.place, { one, place: asked.place, ...said });
  }
  return new Map(
    [...lists].filter(([, pages]) => pages.size > 1).map(([list, pages]) => [list, [...pages.values()]]),
  );
}

/** Which list a request asks for, and for which part of it; null for what is asked for without a parameter. */
function askedFor(one: Exchange, run: RunEvidence): { list: string; place: string } | null {
  const isRead = one.method === "GET" || one.operation !== null;
  if (!isRead || one.status === null || one.status >= 300) return null;
  const sent = one.method === "GET" ? [] : leavesOf(requestBodyOf(one, run));
  const parameters = [
    ...queryOf(one).map(([name, value]) => [name, value] as const),
    ...sent.map(({ path, value }) => [path, String(value)] as const),
  ];
  if (parameters.length === 0) return null;
  const places = parameters.filter(([name]) => PAGE.test(name));
  const rest = parameters.filter(([name]) => !PAGE.test(name)).map(([name, value]) => `${name}=${value}`);
  const address = run.facts.normaliser.url(one.url.replace(/[?#].*/s, ""));
  return {
    list: `${one.method} ${address} ${one.operation ?? ""} ${rest.sort().join("&")}`,
    place: places.map(([name, value]) => `${name.split(/[._]/).at(-1)} ${value}`).join(", "),
  };
}

/** What the things of the longest list of an answer are called by; null where it has none, or two go by one name. */
function itemsOf(one: Exchange, run: RunEvidence): Pick<Page, "items" | "things"> | null {
  const text = bodyOf(one, run.bodies);
  const list = text === undefined ? null : longestList(dataIn(text));
  if (list === null || list.length > MOST_ITEMS) return null;
  const name = NAMES.find((key) => list.every((item) => typeof item[key] === "string" && item[key] !== ""));
  if (list.length > 0 && name === undefined) return null;
  const items = list.map((item) => item[name!] as string);
  if (new Set(items).size < items.length) return null;
  return { items, things: items.map((item, at) => `${item} ${list[at]!.id ?? ""}`) };
}

const DEPTH = 4;

/** The longest list of things in an answer; of lists without items any. */
function longestList(value: unknown, depth = 0): Record<string, unknown>[] | null {
  if (Array.isArray(value)) return value.every(isRecord) ? value : null;
  if (!isRecord(value) || depth >= DEPTH) return null;
  return Object.values(value)
    .map((inner) => longestList(inner, depth + 1))
    .reduce((best, list) => (list !== null && list.length >= (best?.length ?? 0) ? list : best), null);
}

/**
 * The first thing that a page has and one before it had.
 * @param writes between two pages they may have put something before all of it
 */
function repeatedIn(pages: readonly Page[], writes: readonly Exchange[]): Told | null {
  const seen = new Map<string, Page>();
  for (const page of pages) {
    const at = page.things.findIndex((one) => seen.has(one));
    const before = seen.get(page.things[at] ?? "");
    if (writes.some(({ ts }) => before !== undefined && ts > before.one.ts && ts < page.one.ts)) return null;
    if (before !== undefined)
      return { one: page.one, item: page.items[at]!, other: before.place || "the first" };
    for (const one of page.things) seen.set(one, page);
  }
  return null;
}

/** The only thing that every pass has at the border of two pages, and no page of this run has at all. */
function leftOutOf(pages: readonly Page[], usual: readonly (readonly Page[])[]): Told | null {
  const here = new Set(pages.flatMap(({ items }) => items));
  const [first, ...others] = usual.map((all) => new Set(all.flatMap(({ items }) => items)));
  const gone = [...first!].filter((item) => !here.has(item) && others.every((items) => items.has(item)));
  const [item] = gone;
  if (item === undefined || gone.length > 1) return null;
  for (const [at, page] of usual[0]!.entries()) {
    const one = pages.find(({ place }) => place === page.place)?.one;
    if (one === undefined) continue;
    if (page.items[0] === item && at > 0) return { one, item, other: "began" };
    if (page.items.at(-1) === item && at + 1 < usual[0]!.length) return { one, item, other: "ended" };
  }
  return null;
}
