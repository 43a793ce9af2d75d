import type { Comparison } from "./comparison.ts";
import { compareConsole } from "./console.ts";
import { compareDom, type PageReader } from "./dom.ts";
import type { ComparedList, TraceFacts } from "./facts.ts";
import { type BodyReader, compareNetwork } from "./network.ts";
import { RAW } from "./normalise.ts";
import { byPlace } from "./place.ts";
import { alignSteps, compareSteps } from "./steps.ts";
import {
  type ComparedDimension,
  type DiffItem,
  type DiffResult,
  type DiffSummary,
  type Dimension,
  MOST_ITEMS,
  type PlacedItem,
} from "./types.ts";
import { compareWorld } from "./world.ts";

const COMPARED: ComparedDimension[] = ["steps", "network", "dom", "clone", "console"];

/** What each dimension compares, in words. */
const LISTS: Record<ComparedDimension, Partial<Record<ComparedList, string>>> = {
  steps: { steps: "steps" },
  network: { exchanges: "requests" },
  dom: { pages: "pages", mutations: "changes of the page" },
  clone: { world: "states of clones" },
  console: { consoles: "lines of the console" },
};

/**
 * Compares two traces in one dimension. Swapping the traces swaps `added` and `removed` and leaves the other counts.
 * What is paired is the same with and without `isRaw`; with it ids, times and values of queries differ as well.
 * `overview` has one item for each of the other dimensions, and counts what they count; as it needs all of them, all are
 * in the answer.
 */
export async function diffTraces(
  a: TraceFacts,
  b: TraceFacts,
  dimension: Dimension,
  read: BodyReader & PageReader,
  options: { isRaw?: boolean } = {},
): Promise<Partial<Record<Dimension, DiffResult>>> {
  const by = options.isRaw ? { a: RAW, b: RAW } : { a: a.normaliser, b: b.normaliser };
  const comparison: Comparison = { a, b, aligned: alignSteps(a, b), by };
  if (dimension !== "overview")
    return { [dimension]: toResult(comparison, dimension, await compare(comparison, dimension, read)) };

  const results: Compared[] = [];
  for (const one of COMPARED) {
    const items = await compare(comparison, one, read);
    results.push({
      dimension: one,
      result: toResult(comparison, one, items),
      first: items.find(isDifferent),
    });
  }
  return {
    overview: overviewOf(comparison, results),
    ...Object.fromEntries(results.map(({ dimension: one, result }) => [one, result])),
  };
}

interface Compared {
  dimension: ComparedDimension;
  result: DiffResult;
  first: PlacedItem | undefined;
}

function overviewOf(comparison: Comparison, results: readonly Compared[]): DiffResult {
  const summary: DiffSummary = { added: 0, removed: 0, changed: 0, same: 0 };
  for (const { result } of results)
    for (const change of ["added", "removed", "changed", "same"] as const)
      summary[change] += result.summary[change];
  const earliest = results
    .filter(({ first }) => first !== undefined)
    .sort((one, other) => byPlace(one.first!.place, other.first!.place))[0];
  return {
    first_divergence: earliest?.result.first_divergence ?? null,
    summary,
    items: results.map(({ dimension: key, result: { first_divergence, summary: counts } }) => ({
      key,
      change: first_divergence ? "changed" : "same",
      detail: { summary: counts, first_divergence, ...note(comparison, key) },
    })),
  };
}

/** Every item, in order. */
async function compare(
  comparison: Comparison,
  dimension: ComparedDimension,
  read: BodyReader & PageReader,
): Promise<PlacedItem[]> {
  const steps = () => compareSteps(comparison);
  const unordered = {
    steps: () => steps(),
    network: () => compareNetwork(comparison, read),
    dom: () => compareDom(comparison, read, steps().find(isDifferent)?.place.row ?? null),
    clone: () => compareWorld(comparison),
    console: () => compareConsole(comparison),
  };
  return (await unordered[dimension]()).sort((one, other) => byPlace(one.place, other.place));
}

const isDifferent = ({ change }: DiffItem) => change !== "same";

/** Says of what only the beginning was compared. */
function note(comparison: Comparison, dimension: ComparedDimension): { not_compared?: string } {
  const sentences = (["a", "b"] as const).flatMap((side) => {
    const facts = comparison[side];
    return Object.entries(LISTS[dimension])
      .filter(([list]) => facts.cut.has(list as ComparedList))
      .map(
        ([list, words]) =>
          `Of trace ${side} only the first ${facts[list as ComparedList].length} ${words} are compared: it has more than can be held.`,
      );
  });
  return sentences.length > 0 ? { not_compared: sentences.join(" ") } : {};
}

function toResult(
  comparison: Comparison,
  dimension: ComparedDimension,
  items: readonly PlacedItem[],
): DiffResult {
  const summary: DiffSummary = { added: 0, removed: 0, changed: 0, same: 0 };
  for (const { change } of items) summary[change] += 1;
  const first = items.find(isDifferent);
  return {
    first_divergence: first ? { dimension, ...withoutPlace(first) } : null,
    summary,
    items: withNote(select(items).map(withoutPlace), note(comparison, dimension)),
  };
}

/** The last item is where the comparison ended. */
function withNote(items: DiffItem[], told: { not_compared?: string }): DiffItem[] {
  const last = items.at(-1);
  return last && told.not_compared
    ? [...items.slice(0, -1), { ...last, detail: { ...last.detail, ...told } }]
    : items;
}

/** All items of a short list; of a long one the first differences, and the sames that are nearest to one. */
function select(items: readonly PlacedItem[]): readonly PlacedItem[] {
  if (items.length <= MOST_ITEMS) return items;
  const different = [...items.keys()].filter((at) => isDifferent(items[at]!));
  const taken = new Set(different.slice(0, MOST_ITEMS));
  const centres = taken.size > 0 ? [...taken] : [0];
  for (let away = 1; taken.size < MOST_ITEMS && away < items.length; away++)
    for (const centre of centres)
      for (const at of [centre - away, centre + away])
        if (taken.size < MOST_ITEMS && at >= 0 && at < items.length && !isDifferent(items[at]!))
          taken.add(at);
  return items.filter((_, at) => taken.has(at));
}

function withoutPlace({ place: _place, ...item }: PlacedItem): DiffItem {
  return item;
}
