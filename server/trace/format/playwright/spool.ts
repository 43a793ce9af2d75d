import type { Raw } from "./shape.ts";

/**
 * Found events, kept until all files are read and the order of time is known. A trace may hold hundreds of thousands
 * with long headers, so they lie as compressed JSON, and only numbers stay outside.
 */
export interface Spool {
  readonly length: number;
  /** `time` is monotonic ms of the context with that index, or epoch ms when `isWall`. */
  add(context: number, time: number, isWall: boolean, event: Raw): void;
  /** The numbers of entry `index`. */
  head(index: number): { context: number; time: number; isWall: boolean };
  event(index: number): Raw;
  /** What `createSpool` goes on from; nothing may be added afterwards. */
  state(): SpoolState;
}

/** Survives structured clone. */
export interface SpoolState {
  length: number;
  times: Float64Array;
  places: Uint32Array;
  walls: Uint8Array;
  chunks: Chunk[];
}

const CHUNK = 128 * 1024;
const CHUNKS_OPEN = 64;

interface Chunk {
  stored: Uint8Array;
  size: number;
}

/**
 * @param before what was added already
 * @param mend changes the JSON of an event when it is taken out
 */
export function createSpool(before?: SpoolState, mend?: (json: string) => string): Spool {
  let times = before?.times ?? new Float64Array(1024);
  /** Per entry: context, chunk, start, end. */
  let places = before?.places ?? new Uint32Array(4 * 1024);
  let walls = before?.walls ?? new Uint8Array(1024);
  let length = before?.length ?? 0;
  const chunks: Chunk[] = before?.chunks ?? [];
  const open = new Map<number, Buffer>();
  let current = Buffer.allocUnsafe(CHUNK);
  let used = 0;

  function grow(): void {
    const size = times.length * 2;
    const [moreTimes, morePlaces, moreWalls] = [
      new Float64Array(size),
      new Uint32Array(4 * size),
      new Uint8Array(size),
    ];
    moreTimes.set(times);
    morePlaces.set(places);
    moreWalls.set(walls);
    [times, places, walls] = [moreTimes, morePlaces, moreWalls];
  }

  function flush(): void {
    if (used === 0) return;
    chunks.push({ stored: Bun.zstdCompressSync(current.subarray(0, used), { level: 1 }), size: used });
    used = 0;
  }

  function bytesOf(chunk: number): Buffer {
    if (chunk === chunks.length) return current;
    const known = open.get(chunk);
    if (known) {
      // Moved to the end, so that the first key is the one unused for longest.
      open.delete(chunk);
      open.set(chunk, known);
      return known;
    }
    const bytes = Bun.zstdDecompressSync(chunks[chunk]!.stored);
    if (open.size >= CHUNKS_OPEN) open.delete(open.keys().next().value!);
    open.set(chunk, bytes);
    return bytes;
  }

  return {
    get length() {
      return length;
    },
    add(context, time, isWall, event) {
      const json = JSON.stringify(event);
      const size = Buffer.byteLength(json);
      if (used + size > current.length) {
        flush();
        if (size > current.length) current = Buffer.allocUnsafe(size);
        else if (current.length > CHUNK) current = Buffer.allocUnsafe(CHUNK);
      }
      if (length === times.length) grow();
      times[length] = time;
      walls[length] = isWall ? 1 : 0;
      places.set([context, chunks.length, used, used + size], 4 * length);
      current.write(json, used);
      used += size;
      length += 1;
    },
    head: (index) => ({ context: places[4 * index]!, time: times[index]!, isWall: walls[index] === 1 }),
    event(index) {
      const bytes = bytesOf(places[4 * index + 1]!);
      const json = bytes.toString("utf8", places[4 * index + 2]!, places[4 * index + 3]!);
      return JSON.parse(mend ? mend(json) : json) as Raw;
    },
    state() {
      flush();
      return { length, times, places, walls, chunks };
    },
  };
}
