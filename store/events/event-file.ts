import { closeSync } from "node:fs";
import { createCollector } from "../collector.ts";
import type { ByteCache } from "./cache.ts";
import { readExactly } from "./disk.ts";
import { lineOffset, positionOfSeq } from "./filter.ts";
import { openFoundLines } from "./found-lines.ts";
import { decompressFrame, decompressFrameAsync, FRAME_SIZE } from "./frames.ts";
import type { EventIndex } from "./index.ts";
import type { QuerySource } from "./query-plan.ts";

/** Bytes of long lines after which what readers made of them is collected: their text, and often its parsed copy. */
const COLLECT_EVERY = 32 << 20;
const collect = createCollector(COLLECT_EVERY);

/** An open event file with its index: one state of the file. */
export interface OpenEventFile {
  source: QuerySource;
  /** Stored lines, a frame's worth at a time. */
  batches(fromSeq?: number): AsyncGenerator<string[]>;
  /** The file stays open until whoever took it lets it go. */
  take(): void;
  letGo(): void;
  /** Closes the file as soon as nobody has taken it. */
  retire(): void;
  readonly isRetired: boolean;
}

/** @param owner tells this file's entries in the cache from others'. @param fds are closed in the end. */
export function createOpenFile(options: {
  fd: number;
  fds: number[];
  index: EventIndex;
  cache: ByteCache;
  owner: string;
}): OpenEventFile {
  const { fd, fds, index, cache, owner } = options;
  const key = (frame: number) => `${owner}f${frame}`;
  let users = 0;
  let isRetired = false;

  function stored(frame: number): Buffer {
    const { offset, compressedSize } = index.frames[frame]!;
    return readExactly(fd, offset, compressedSize);
  }

  function loadFrame(frame: number): Buffer {
    const held = cache.get<Buffer>(key(frame));
    if (held) return held;
    const data = decompressFrame(stored(frame), index.frames[frame]!.size);
    cache.set(key(frame), data, data.length);
    return data;
  }

  // Long walks leave the cache alone: they would throw out what pages need.
  async function loadAside(frame: number): Promise<Buffer> {
    const { size } = index.frames[frame]!;
    if (size > FRAME_SIZE) collect(size);
    return cache.get<Buffer>(key(frame)) ?? decompressFrameAsync(stored(frame), size);
  }

  async function* walk(frames: Iterable<number>): AsyncGenerator<{ frame: number; data: Buffer }> {
    let ahead: { frame: number; data: Promise<Buffer> } | null = null;
    for (const frame of frames) {
      // A frame of one long line is not read ahead: two of them are not held at once.
      if (ahead && index.frames[frame]!.size > FRAME_SIZE) {
        yield { frame: ahead.frame, data: await ahead.data };
        ahead = null;
      }
      const data = loadAside(frame);
      // Whoever awaits it meets its failure; until then it is not an unhandled one.
      data.catch(() => {});
      if (ahead) yield { frame: ahead.frame, data: await ahead.data };
      ahead = { frame, data };
    }
    if (ahead) yield { frame: ahead.frame, data: await ahead.data };
  }

  function* framesFrom(first: number) {
    for (let frame = first; frame < index.frames.length; frame++) yield frame;
  }

  function close() {
    for (const each of fds.splice(0)) closeSync(each);
  }

  return {
    source: {
      index,
      frame: loadFrame,
      isCached: (frame) => cache.has(key(frame)),
      walk,
      found: (sought) => openFoundLines(cache, `${owner}q${sought}`),
    },
    get isRetired() {
      return isRetired;
    },
    async *batches(fromSeq) {
      const start = fromSeq === undefined ? { frame: 0, local: 0 } : positionOfSeq(index, fromSeq);
      for await (const { frame, data } of walk(framesFrom(start.frame))) {
        const isFirst = frame === start.frame && start.local > 0;
        const from = isFirst ? lineOffset(data, index.columns(frame), start.local) : 0;
        if (from < data.length) yield data.toString("utf8", from, data.length - 1).split("\n");
      }
    },
    take() {
      users++;
    },
    letGo() {
      users--;
      if (isRetired && users === 0) close();
    },
    retire() {
      isRetired = true;
      if (users === 0) close();
    },
  };
}
