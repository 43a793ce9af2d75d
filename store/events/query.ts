import {
  countFrom,
  countMatches,
  type Filter,
  lineOffset,
  pickMatches,
  positionOfSeq,
  resolveFilter,
} from "./filter.ts";
import type { EventIndex } from "./index.ts";
import { exactNeedle, looseNeedle } from "./needle.ts";
import { createPageLines, type PageLines } from "./page.ts";
import type { Plan, QuerySource } from "./query-plan.ts";
import { canUseSide, linesFromSide, searchSide } from "./query-side.ts";
import { searchFrames } from "./query-text.ts";
import type { EventPage, EventQuery } from "./types.ts";

/** Frames that a page touches, with the matches to pass over and to take in each. */
type Window = { frame: number; from: number; skip: number; take: number }[];

const EMPTY: EventPage = { lines: [], total: 0 };
/** Unpacking more than this for one page is worth looking for copies of the lines. */
const DIRECT_BYTES = 2.5 * (1 << 20);

/** Answers exactly what filtering every stored line in order would. */
export async function runQuery(source: QuerySource, query: EventQuery): Promise<EventPage> {
  const plan = makePlan(source.index, query);
  if (!plan) return EMPTY;
  if (query.text) return searchText(source, plan, query.text, query);
  const window = pageWindow(plan, query.offset, query.limit);
  const page = createPageLines(query.isFromEnd);
  await fillPage(source, plan, query.isFromEnd ? window.reverse() : window, page);
  return { lines: page.lines, total: plan.total };
}

function makePlan(index: EventIndex, query: EventQuery): Plan | null {
  const filter = resolveFilter(index, query);
  if (!filter) return null;
  let { frames, counts } = countMatches(index, filter);
  let fromLocal = 0;
  if (query.fromSeq !== undefined) {
    const start = positionOfSeq(index, query.fromSeq);
    let first = 0;
    while (first < frames.length && frames[first]! < start.frame) first++;
    if (frames[first] === start.frame && start.local > 0) {
      const left = countFrom(filter, index.columns(start.frame), start.local);
      if (left === 0) first++;
      else {
        fromLocal = start.local;
        counts = counts.slice();
        counts[first] = left;
      }
    }
    frames = frames.subarray(first);
    counts = counts.subarray(first);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total === 0 ? null : { filter, frames, counts, fromLocal, total };
}

function pageWindow(plan: Plan, offset: number, limit: number): Window {
  const window: Window = [];
  let before = 0;
  for (let i = 0; i < plan.frames.length && before < offset + limit; i++) {
    const count = plan.counts[i]!;
    const skip = Math.max(0, offset - before);
    const take = Math.min(count, offset + limit - before) - skip;
    if (take > 0) window.push({ frame: plan.frames[i]!, from: i === 0 ? plan.fromLocal : 0, skip, take });
    before += count;
  }
  return window;
}

/** @param window in the order in which lines are to come. */
async function fillPage(source: QuerySource, plan: Plan, window: Window, page: PageLines): Promise<void> {
  const unpacked = window.reduce(
    (sum, { frame }) => sum + (source.isCached(frame) ? 0 : source.index.frames[frame]!.size),
    0,
  );
  if (unpacked <= DIRECT_BYTES) {
    for (const part of window) {
      if (page.isFull) return;
      takeLines(source, plan.filter, part, source.frame(part.frame), page);
    }
    return;
  }
  if (canUseSide(plan.filter)) return linesFromSide(source.index, plan.filter, window, page);
  const parts = new Map(window.map((part) => [part.frame, part]));
  for await (const { frame, data } of source.walk(parts.keys())) {
    takeLines(source, plan.filter, parts.get(frame)!, data, page);
    if (page.isFull) return;
  }
}

/** The lines of a frame are no more than a frame's usual size, or one long one. */
function takeLines(source: QuerySource, filter: Filter, part: Window[number], data: Buffer, page: PageLines) {
  const columns = source.index.columns(part.frame);
  if (filter.keys.length === 0) {
    const first = part.from + part.skip;
    const start = lineOffset(data, columns, first);
    const end = lineOffset(data, columns, first + part.take);
    page.add(data.toString("utf8", start, end - 1).split("\n"), end - start - part.take);
    return;
  }
  const lines: string[] = [];
  let bytes = 0;
  for (const line of pickMatches(filter, columns, part.from, part.skip, part.take)) {
    const start = lineOffset(data, columns, line);
    const end = data.indexOf(10, start);
    lines.push(data.toString("utf8", start, end));
    bytes += end - start;
  }
  page.add(lines, bytes);
}

async function searchText(
  source: QuerySource,
  plan: Plan,
  text: string,
  page: Pick<EventQuery, "offset" | "limit" | "isLoose" | "signal">,
): Promise<EventPage> {
  // Stored lines are well-formed text and hold no line end.
  if (!text.isWellFormed() || (!page.isLoose && text.includes("\n"))) return EMPTY;
  const needle = page.isLoose ? looseNeedle(text) : exactNeedle(text);
  const found = source.found(`${page.isLoose ? "~" : "="}${text}`);
  const isKnown = plan.frames.every((frame) => found.of(frame) !== undefined);
  if (!isKnown && canUseSide(plan.filter) && plan.total <= 20_000) {
    const unpacked = plan.frames.reduce((sum, frame) => sum + source.index.frames[frame]!.size, 0);
    if (unpacked > DIRECT_BYTES) return searchSide(source.index, plan, needle, page);
  }
  return searchFrames(source, plan, { needle, found }, page);
}
