import type { ByteCache } from "./cache.ts";
import type { Needle } from "./needle.ts";

const NEWLINE = 10;
/** Of an entry that holds no line yet. */
const OWN_BYTES = 200;

/**
 * Which lines of the frames of one file hold a text, whatever their kind: a search goes through every frame once, though it is
 * asked for one kind after the other and for one page of hits after the other. A frame never changes.
 */
export interface FoundLines {
  /** Numbers of lines, rising; undefined of a frame that was not looked through. */
  of(frame: number): Uint32Array | undefined;
  set(frame: number, lines: Uint32Array): void;
  /** Keeps what was found until now for the next search, as long as there is room. */
  keep(): void;
}

/** What the cache has of a search, or a new one. @param key of the file and of what is looked for. */
export function openFoundLines(cache: ByteCache, key: string): FoundLines {
  const known = cache.get<{ frames: Map<number, Uint32Array>; bytes: number }>(key);
  const found = known ?? { frames: new Map<number, Uint32Array>(), bytes: OWN_BYTES + key.length };
  return {
    of: (frame) => found.frames.get(frame),
    set(frame, lines) {
      if (!found.frames.has(frame)) found.bytes += OWN_BYTES + lines.byteLength;
      found.frames.set(frame, lines);
    },
    keep: () => cache.set(key, found, found.bytes),
  };
}

/** Numbers of the lines of an unpacked frame that hold the needle. */
export function linesHolding(data: Buffer, needle: Needle): Uint32Array {
  const text = needle.prepare(data);
  const lines: number[] = [];
  let line = 0;
  let nextLineAt = data.indexOf(NEWLINE) + 1;
  for (let at = 0; ; ) {
    const hit = text.indexOf(needle.bytes, at);
    if (hit === -1) return Uint32Array.from(lines);
    for (; nextLineAt <= hit; line++) nextLineAt = data.indexOf(NEWLINE, nextLineAt) + 1;
    if (needle.accepts(text, hit, nextLineAt - 1)) lines.push(line);
    at = nextLineAt;
  }
}
