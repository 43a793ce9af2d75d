import { cut } from "../error-text.ts";
import { alignTwice } from "./align.ts";
import type { Comparison } from "./comparison.ts";
import type { Fact, MutationFact, PageFact } from "./facts.ts";
import { type Normaliser, RAW } from "./normalise.ts";
import type { PageNode } from "./page-nodes.ts";
import { folded, momentOf, pairByKeys, placeOf, rowOf } from "./place.ts";
import { changeOf } from "./steps.ts";
import type { Difference, DiffSide, PlacedItem } from "./types.ts";
import { differenceAt, differencesOf } from "./values.ts";

/** Reads the pages that events only refer to. */
export interface PageReader {
  /** The telling elements of a recorded page; null when it is not there or cannot be read. */
  nodes(side: "a" | "b", page: PageFact): Promise<PageNode[] | null>;
}

const RANK = 4;
const MAX_SHOWN = 500;
/** Pages read per trace: those around the first step that differs. */
export const MOST_PAGES = 100;

/**
 * An item per element of the pages that both traces have at the end of the same step, per page whose address differs,
 * and per element that mutations were recorded of. An element that stays different is told once, where it first is.
 */
export async function compareDom(
  comparison: Comparison,
  read: PageReader,
  firstRow: number | null,
): Promise<PlacedItem[]> {
  const items = compareMutations(comparison);
  const seen = new Map<string, PlacedItem>();
  const pages: PlacedItem[][] = [];
  for (const [one, other] of pagePairs(comparison, firstRow))
    pages.push(await comparePages(comparison, read, one, other));
  for (const [at, page] of pages.entries()) {
    for (const item of page) {
      if (isPassing(item, page, pages[at + 1]) && comparison.by.a !== RAW) continue;
      const id = JSON.stringify([
        item.key,
        item.change,
        item.a?.text,
        item.a?.state,
        item.b?.text,
        item.b?.state,
      ]);
      if (seen.has(id)) continue;
      seen.set(id, item);
      items.push(item);
    }
  }
  return items;
}

/**
 * Whether an element is the same again on the next page of that address: the one page was taken a little earlier than
 * the other.
 */
function isPassing(item: PlacedItem, page: readonly PlacedItem[], next: readonly PlacedItem[] | undefined) {
  const pathOf = (one: PlacedItem | undefined) => one?.key.replace(/[?#].*$/s, "");
  if (item.change !== "changed" || item === page[0] || pathOf(next?.[0]) !== pathOf(page[0])) return false;
  const later = next?.filter(({ key }) => key === item.key) ?? [];
  return later.length > 0 && later.every(({ change }) => change === "same");
}

/** The last page of each row that has one on both sides, as many as may be read. */
function pagePairs(comparison: Comparison, firstRow: number | null): [PageFact, PageFact][] {
  const last = (side: "a" | "b") => {
    const found = new Map<number, PageFact>();
    for (const page of comparison[side].pages) found.set(rowOf(comparison, side, page), page);
    return found;
  };
  const [pagesA, pagesB] = [last("a"), last("b")];
  const rows = [...pagesA.keys()].filter((row) => pagesB.has(row)).sort((one, other) => one - other);
  if (rows.length > MOST_PAGES) {
    const centre = firstRow ?? rows.at(-1)!;
    const at = rows.findIndex((row) => row >= centre);
    const from = Math.max(
      0,
      Math.min((at < 0 ? rows.length : at) - MOST_PAGES / 2, rows.length - MOST_PAGES),
    );
    rows.splice(0, from);
    rows.length = MOST_PAGES;
  }
  return rows.map((row) => [pagesA.get(row)!, pagesB.get(row)!]);
}

async function comparePages(
  comparison: Comparison,
  read: PageReader,
  one: PageFact,
  other: PageFact,
): Promise<PlacedItem[]> {
  const { a, b, by } = comparison;
  const place = placeOf(comparison, RANK, one, other);
  const [urlA, urlB] = [a.normaliser.url(one.url), b.normaliser.url(other.url)];
  if (urlA.replace(/[?#].*$/s, "") !== urlB.replace(/[?#].*$/s, "")) {
    const differences = differenceAt("/url", cut(one.url, MAX_SHOWN), cut(other.url, MAX_SHOWN));
    // The elements of two different pages have nothing to do with each other.
    return [
      {
        key: "page",
        change: "changed",
        a: pageSide(one),
        b: pageSide(other),
        detail: { differences },
        place,
      },
    ];
  }
  const differences =
    by.a.url(one.url) === by.b.url(other.url)
      ? []
      : differenceAt("/url", cut(one.url, MAX_SHOWN), cut(other.url, MAX_SHOWN));
  const page: PlacedItem = {
    key: `page ${urlB}`,
    change: changeOf(one, other, differences),
    a: pageSide(one),
    b: pageSide(other),
    ...(differences.length > 0 && { detail: { differences } }),
    place,
  };
  if (one.html !== null && one.html === other.html) return [page];
  const [nodesA, nodesB] = [await read.nodes("a", one), await read.nodes("b", other)];
  if (!nodesA || !nodesB) return [page];
  return [page, ...compareNodes(comparison, [one, nodesA], [other, nodesB])];
}

function compareNodes(
  comparison: Comparison,
  [one, nodesA]: [PageFact, PageNode[]],
  [other, nodesB]: [PageFact, PageNode[]],
): PlacedItem[] {
  const { a, b, by } = comparison;
  const isRaw = by.a === RAW;
  const [keysA, keysB] = [keysOf(nodesA, a.normaliser), keysOf(nodesB, b.normaliser)];
  return alignTwice(keysA, keysB).map(([left, right]) => {
    const [mine, yours] = [left === null ? null : nodesA[left]!, right === null ? null : nodesB[right]!];
    const differences: Difference[] = [];
    if (mine && yours && (isRaw || keysA.strong[left!] !== keysB.strong[right!])) {
      if (by.a.text(mine.text) !== by.b.text(yours.text))
        differences.push(...differenceAt("/text", cut(mine.text, 300), cut(yours.text, 300)));
      differences.push(...differencesOf("/state", mine.state, yours.state, by));
    }
    return {
      key: cut(yours ? keysB.weak[right!]! : keysA.weak[left!]!, MAX_SHOWN),
      change: changeOf(mine, yours, differences),
      ...(mine && { a: nodeSide(one, mine) }),
      ...(yours && { b: nodeSide(other, yours) }),
      ...(differences.length > 0 && { detail: { differences } }),
      place: placeOf(comparison, RANK, mine && one, yours && other),
    };
  });
}

function keysOf(nodes: readonly PageNode[], normaliser: Normaliser): { strong: string[]; weak: string[] } {
  const strong: string[] = [];
  const weak: string[] = [];
  for (const { tag, mark, text, state } of nodes) {
    const name = mark === "" ? tag : `${tag}[${normaliser.text(mark)}]`;
    weak.push(name);
    strong.push(`${name} ${normaliser.text(text)} ${JSON.stringify(normaliser.json(state))}`);
  }
  return { strong, weak };
}

function pageSide(page: PageFact): DiffSide {
  return {
    ...momentOf(page),
    url: cut(page.url, MAX_SHOWN),
    ...(page.snapshot && { snapshot: page.snapshot }),
  };
}

function nodeSide(page: PageFact, { text, state }: PageNode): DiffSide {
  const shown = JSON.stringify(state);
  return {
    ...pageSide(page),
    text: cut(text, MAX_SHOWN),
    ...(shown !== "{}" && { state: shown.length <= MAX_SHOWN ? state : cut(shown, MAX_SHOWN) }),
  };
}

/** Recorded mutations by what they changed: the last one of each counts, and how many there were is noise. */
function compareMutations(comparison: Comparison): PlacedItem[] {
  const { by } = comparison;
  const lasts = (side: "a" | "b") => {
    const target = (fact: MutationFact) => comparison[side].normaliser.text(fact.target);
    return folded([...comparison[side].mutations].reverse(), target).map(({ key, first, times }) => ({
      ...first,
      key,
      times,
    }));
  };
  const { pairs, onlyA, onlyB } = pairByKeys(lasts("a"), lasts("b"), [({ key }) => key]);
  const side = (fact: MutationFact & Fact): DiffSide => ({
    ...momentOf(fact),
    target: cut(fact.target, MAX_SHOWN),
    change: shown(fact.change),
  });
  const both = [
    ...pairs.map(([one, other]) => [one, other] as const),
    ...onlyA.map((one) => [one, null] as const),
    ...onlyB.map((other) => [null, other] as const),
  ];
  return both.map(([one, other]) => {
    const differences = one && other ? differencesOf("/change", one.change, other.change, by) : [];
    const times = { a: one?.times ?? 0, b: other?.times ?? 0 };
    const detail = {
      ...(differences.length > 0 && { differences }),
      ...(times.a + times.b > (one && other ? 2 : 1) && { times }),
    };
    return {
      key: cut(`mutation ${(other ?? one)!.key}`, MAX_SHOWN),
      change: changeOf(one, other, differences),
      ...(one && { a: side(one) }),
      ...(other && { b: side(other) }),
      ...(Object.keys(detail).length > 0 && { detail }),
      place: placeOf(comparison, RANK, one, other),
    };
  });
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_SHOWN ? value : cut(text, MAX_SHOWN);
}
