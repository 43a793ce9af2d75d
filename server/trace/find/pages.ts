import { lowerCase } from "../../../store/events/needle.ts";
import { pagesOf } from "../../../store/events/page.ts";
import type { EventFile } from "../../../store/events/types.ts";
import { BlobDamagedError, type ByteLocation, type Files } from "../../../store/files/files.ts";
import { readBlock } from "../../../store/snapshots/read-file.ts";
import { readDirectory, type StoredDirectory } from "../files/snapshots.ts";
import { readEvent } from "../format/event.ts";
import { snapshotOfLine } from "../format/playwright/snapshot-html.ts";
import type { IndexedFrame, IndexedSnapshot } from "../format/playwright/snapshot-index.ts";
import { hasNoCapital, type Margins } from "./match.ts";
import { createPageMatcher, type PageMatch } from "./page-text.ts";
import { type ToldEvent, told } from "./told.ts";

interface Placed {
  frame: IndexedFrame;
  snapshot: IndexedSnapshot;
}

/** A recorded page that came to hold the text. */
export interface PageHit extends PageMatch {
  frame: IndexedFrame;
  snapshot: IndexedSnapshot;
}

/** The pages of a trace's Playwright archive, in the blocks that they are stored in. */
export interface SearchablePages {
  blocks: number;
  total: number;
  /** Bytes of a block, unpacked. */
  sizeOf(block: number): number;
  /** Pages in the blocks before this one. */
  countBefore(block: number): number;
  /** A block's bytes; null when it cannot be read. */
  read(block: number): Promise<Buffer | null>;
  /** The pages of a block that have the text where the page before them had not. Blocks are passed in their order. */
  match(block: number, bytes: Buffer): PageHit[];
}

/**
 * Makes the snapshots of an archive searchable. A snapshot holds what changed since the one before, so that a text is
 * found once per frame for as long as it stays: where it came.
 * @returns null when the file cannot be read
 */
export async function openPages(
  files: Files,
  location: ByteLocation,
  text: string,
  margins?: Margins,
): Promise<SearchablePages | null> {
  let directory: StoredDirectory;
  try {
    directory = (await readDirectory(files, location)).directory;
  } catch (error) {
    if (error instanceof BlobDamagedError) return null;
    throw error;
  }
  const { blocks, frames } = directory.index;
  const byBlock = Array.from(blocks, (): Placed[] => []);
  for (const frame of frames)
    for (const snapshot of frame.snapshots) byBlock[snapshot.block]?.push({ frame, snapshot });
  const before = [0];
  for (const placed of byBlock) before.push(before.at(-1)! + placed.length);

  const isFolded = hasNoCapital(text);
  // White space may be any other in the page: one word tells where to look closer.
  const [word = ""] = text
    .trim()
    .split(/\s+/)
    .sort((a, b) => b.length - a.length);
  const needle = Buffer.from(JSON.stringify(word).slice(1, -1));
  const match = createPageMatcher(text, margins);
  const seenOf = createSeen();

  return {
    blocks: blocks.length,
    total: before.at(-1)!,
    sizeOf: (block) => blocks[block]![2],
    countBefore: (block) => before[block]!,
    async read(block) {
      try {
        return await readBlock(files, location, directory.index, block);
      } catch (error) {
        if (error instanceof BlobDamagedError) return null;
        throw error;
      }
    },
    match(block, bytes) {
      const folded = isFolded ? lowerCase(bytes) : bytes;
      const placed = byBlock[block]!.sort((a, b) => a.snapshot.at - b.snapshot.at);
      return placed.flatMap(({ frame, snapshot }) => {
        const { at, length } = snapshot;
        if (!folded.subarray(at, at + length).includes(needle)) return [];
        const { html } = snapshotOfLine(bytes.toString("utf8", at, at + length));
        const found = match(html, seenOf(frame, snapshot));
        return found ? [{ ...found, frame, snapshot }] : [];
      });
    },
  };
}

/** What matched before in the page that a frame shows; another address is another page. */
function createSeen() {
  const known = new Map<IndexedFrame, { url: string; seen: Set<string> }>();
  return (frame: IndexedFrame, { url }: IndexedSnapshot): Set<string> => {
    const same = known.get(frame);
    if (same?.url === url) return same.seen;
    const seen = new Set<string>();
    known.set(frame, { url, seen });
    return seen;
  };
}

const keyOf = (name: unknown, page: unknown, frame: unknown) => `${name}\n${page}\n${frame}`;

/** Finds the events that tell of recorded pages. They are read when the first is asked for. */
export function createPageEvents(events: EventFile) {
  let known: Map<string, ToldEvent> | null = null;

  async function read(): Promise<Map<string, ToldEvent>> {
    const found = new Map<string, ToldEvent>();
    for await (const lines of pagesOf(events, { kinds: ["dom.snapshot"] }))
      for (const line of lines) {
        const event = readEvent(line);
        const key = keyOf(event.snapshot, event.page, event.frame);
        if (!found.has(key)) found.set(key, told(event));
      }
    return found;
  }

  /** Null when none does, as in bundles whose events were recorded apart. */
  return async ({ frame, snapshot }: Placed): Promise<ToldEvent | null> => {
    known ??= await read();
    return known.get(keyOf(snapshot.name, frame.page, frame.frame)) ?? null;
  };
}
