import { type Filter, isMatch } from "./filter.ts";
import type { EventIndex, SideBlock, SideBlockRef } from "./index.ts";
import type { Needle } from "./needle.ts";
import { createPageLines, type PageLines } from "./page.ts";
import type { Plan } from "./query-plan.ts";
import type { EventPage, EventQuery } from "./types.ts";

/** Whether every line that may match is copied in the index. */
export function canUseSide(filter: Filter): boolean {
  return filter.keys.length > 0 && filter.keys.every((key) => key.side.length > 0);
}

/** A matching line, by its place: the lines themselves may be more than there is room for. */
interface Hit {
  ordinal: number;
  ref: SideBlockRef;
  /** In its block. */
  line: number;
}

/** The lines of a page whose frames are known, from the copies in the index. */
export async function linesFromSide(
  index: EventIndex,
  filter: Filter,
  window: readonly { frame: number; from: number; skip: number; take: number }[],
  page: PageLines,
): Promise<void> {
  const parts = [...window].sort((a, b) => a.frame - b.frame);
  const first = parts[0]!;
  const start = index.frames[first.frame]!.firstOrdinal + first.from;
  const lastFrame = index.frames[parts.at(-1)!.frame]!;
  const end = lastFrame.firstOrdinal + lastFrame.count;
  const hits = await collect(index, filter, start, end);
  const take = parts.reduce((sum, part) => sum + part.take, 0);
  const wanted = hits.slice(first.skip, first.skip + take);
  takeHits(index, page.isFromEnd ? wanted.reverse() : wanted, page);
}

/** Text search over the copies in the index. @throws the reason of the query's signal */
export async function searchSide(
  index: EventIndex,
  plan: Plan,
  needle: Needle,
  { offset, limit, signal }: Pick<EventQuery, "offset" | "limit" | "signal">,
): Promise<EventPage> {
  const start = index.frames[plan.frames[0]!]!.firstOrdinal + plan.fromLocal;
  const hits = await collect(index, plan.filter, start, Number.POSITIVE_INFINITY, { needle, signal });
  const page = createPageLines();
  takeHits(index, hits.slice(offset, offset + limit), page);
  return { lines: page.lines, total: hits.length };
}

function takeHits(index: EventIndex, hits: readonly Hit[], page: PageLines) {
  for (const { ref, line } of hits) {
    if (page.isFull) return;
    const bytes = lineOf(index.sideBlock(ref), line);
    page.add([bytes.toString("utf8")], bytes.length);
  }
}

/** Bytes that are unpacked before others are let run. */
const IN_ONE_GO = 4 << 20;

/** Matching lines with `start` <= ordinal < `end`, in the order of the file. */
async function collect(
  index: EventIndex,
  filter: Filter,
  start: number,
  end: number,
  { needle, signal }: { needle?: Needle; signal?: AbortSignal | undefined } = {},
): Promise<Hit[]> {
  const hits: Hit[] = [];
  let looked = 0;
  for (const key of filter.keys)
    for (const ref of key.side) {
      if (ref.lastOrdinal < start || ref.firstOrdinal >= end) continue;
      const block = index.sideBlock(ref);
      for (let i = 0; i < block.count; i++) {
        const ordinal = block.ordinals[i]!;
        if (ordinal < start || ordinal >= end || !isMatch(filter, block, i)) continue;
        if (!needle || holds(lineOf(block, i), needle)) hits.push({ ordinal, ref, line: i });
      }
      looked += block.text.length;
      if (looked < IN_ONE_GO) continue;
      looked = 0;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    }
  if (filter.keys.length > 1) hits.sort((a, b) => a.ordinal - b.ordinal);
  return hits;
}

function holds(line: Buffer, needle: Needle): boolean {
  const text = needle.prepare(line);
  const hit = text.indexOf(needle.bytes);
  return hit !== -1 && needle.accepts(text, hit, text.length);
}

function lineOf(block: SideBlock, i: number): Buffer {
  return block.text.subarray(i === 0 ? 0 : block.ends[i - 1]!, block.ends[i]! - 1);
}
