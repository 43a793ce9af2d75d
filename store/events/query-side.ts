import { type Filter, isMatch } from "./filter.ts";
import type { EventIndex, SideBlock } from "./index.ts";
import type { Needle } from "./needle.ts";
import type { Plan } from "./query.ts";
import type { EventPage } from "./types.ts";

/** Whether every line that may match is copied in the index. */
export function canUseSide(filter: Filter): boolean {
  return filter.keys.length > 0 && filter.keys.every((key) => key.side.length > 0);
}

interface Hit {
  ordinal: number;
  line: string;
}

/** The lines of a page whose frames are known, from the copies in the index. */
export function linesFromSide(
  index: EventIndex,
  filter: Filter,
  window: { frame: number; from: number; skip: number; take: number }[],
): string[] {
  const first = window[0]!;
  const start = index.frames[first.frame]!.firstOrdinal + first.from;
  const lastFrame = index.frames[window.at(-1)!.frame]!;
  const end = lastFrame.firstOrdinal + lastFrame.count;
  const hits = collect(index, filter, start, end);
  const take = window.reduce((sum, part) => sum + part.take, 0);
  return hits.slice(first.skip, first.skip + take).map((hit) => hit.line);
}

/** Text search over the copies in the index. */
export function searchSide(
  index: EventIndex,
  plan: Plan,
  needle: Needle,
  page: { offset: number; limit: number },
): EventPage {
  const start = index.frames[plan.frames[0]!]!.firstOrdinal + plan.fromLocal;
  const hits = collect(index, plan.filter, start, Number.POSITIVE_INFINITY, needle);
  return {
    lines: hits.slice(page.offset, page.offset + page.limit).map((hit) => hit.line),
    total: hits.length,
  };
}

/** Matching lines with `start` <= ordinal < `end`, in the order of the file. */
function collect(index: EventIndex, filter: Filter, start: number, end: number, needle?: Needle): Hit[] {
  const hits: Hit[] = [];
  for (const key of filter.keys)
    for (const ref of key.side) {
      if (ref.lastOrdinal < start || ref.firstOrdinal >= end) continue;
      const block = index.sideBlock(ref);
      for (let i = 0; i < block.count; i++) {
        const ordinal = block.ordinals[i]!;
        if (ordinal < start || ordinal >= end || !isMatch(filter, block, i)) continue;
        const line = lineOf(block, i);
        if (!needle || holds(line, needle)) hits.push({ ordinal, line: line.toString("utf8") });
      }
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
