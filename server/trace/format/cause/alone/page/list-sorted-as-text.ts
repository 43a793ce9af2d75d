import { oneLine } from "../../../error-text.ts";
import { askedFor, isRead } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, bareOf, isTracker, quoted, requestOf } from "../../words.ts";
import { listsOn } from "./listed.ts";

/** Fewer numbers stand in the order of their figures by chance. */
const FEWEST = 4;
const SORTS = /sort|order/i;

/** A list on the page that was asked for in an order, and whose numbers stand as texts would, where every pass has them as numbers: 1100 before 120, and 120 before 35. */
export function detectListSortedAsText(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const got = bareOf(failed.received ?? "");
  const asked = run.facts.exchanges.findLast(
    (one) =>
      one.ts <= failed.to &&
      isRead(one, run) &&
      !isTracker(one.url) &&
      askedFor(one, run).some(([name, value]) => SORTS.test(name) && value !== ""),
  );
  if (!run.page || !asked || got === "") return [];
  const by = askedFor(asked, run).find(([name]) => SORTS.test(name))![1];
  for (const items of listsOn(run.page.elements)) {
    const sorted = sortedAsTexts(figuresOf(items));
    if (!sorted || !isFirst(items[0]!.text, got)) continue;
    if (!passes.every((pass) => isSortedIn(pass, sorted.place))) continue;
    const [one, next] = pairOf(sorted.numbers);
    return [
      {
        kind: "page_changed",
        title: `The page lists things in the order that ${requestOf(asked, run.facts)} asked for (${quoted(by, 40)}) as texts are sorted, not as numbers: ${one} comes before ${next}`,
        detail: null,
        step_id: asked.step_id,
        events: [asked.seq, run.page.shot.seq],
        ts: asked.end ?? asked.ts,
        is_new: null,
        weight: 0.84,
        about: aboutUrl(asked.url, run.facts),
        isSortedAsText: true,
      },
    ];
  }
  return [];
}

/** Whether the test met the first thing of the list, however its pieces are set apart. */
const isFirst = (text: string, got: string): boolean =>
  bare(text).startsWith(bare(got)) || bare(got).startsWith(bare(text));

const bare = (text: string): string => text.replace(/\s+/g, "");

/** The figures of all things of a list by their places in the texts; none where too few things are listed, or not in one form. */
function figuresOf(items: readonly SeenElement[]): string[][] {
  const all = items.map(({ text }): string[] => oneLine(text).match(/\d{1,12}/g) ?? []);
  const count = all[0]?.length ?? 0;
  if (items.length < FEWEST || all.some(({ length }) => length !== count)) return [];
  return Array.from({ length: count }, (_, place) => all.map((each) => each[place]!));
}

/** The numbers at the first place where they rise as texts and not as numbers; null where no place has such. */
function sortedAsTexts(columns: readonly string[][]): { place: number; numbers: number[] } | null {
  const place = columns.findIndex((figures) => isRising(figures) && !isRising(figures.map(Number)));
  return place < 0 ? null : { place, numbers: columns[place]!.map(Number) };
}

/** Whether a list on the page of a pass rises by the numbers at that place. */
const isSortedIn = ({ page }: RunEvidence, place: number): boolean =>
  page !== null &&
  listsOn(page.elements).some((items) => {
    const figures = figuresOf(items)[place];
    return figures !== undefined && isRising(figures.map(Number));
  });

const isRising = <Value extends number | string>(values: readonly Value[]): boolean =>
  values.every((value, at) => at === 0 || values[at - 1]! <= value);

/** The first two neighbours that stand the wrong way round. */
function pairOf(numbers: readonly number[]): [number, number] {
  const at = numbers.findIndex((number, place) => (numbers[place + 1] ?? number) < number);
  return [numbers[at]!, numbers[at + 1]!];
}
