import type { Filter, FrameCounts } from "./filter.ts";
import type { FoundLines } from "./found-lines.ts";
import type { EventIndex } from "./index.ts";

/** What a query reads from: the index and the frames of one event file. */
export interface QuerySource {
  index: EventIndex;
  /** An unpacked frame, now; kept in the cache. */
  frame(frame: number): Buffer;
  isCached(frame: number): boolean;
  /** Unpacked frames one after the other, read ahead off the main thread: for long walks. */
  walk(frames: Iterable<number>): AsyncGenerator<{ frame: number; data: Buffer }>;
  /** What searches for the same have found until now. @param sought what is looked for, and how */
  found(sought: string): FoundLines;
}

/** Where a query's matches are: counts per frame, of the first frame only those from event `fromLocal` on. */
export interface Plan extends FrameCounts {
  filter: Filter;
  fromLocal: number;
  total: number;
}
