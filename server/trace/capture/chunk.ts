import { ArchiveError, unreadable } from "../../../store/archives/errors.ts";
import { EventStreamError } from "../../../store/events/errors.ts";
import { isZstd, readNdjson } from "../../../store/events/read-ndjson.ts";
import type { EventLine } from "../../../store/events/types.ts";
import { AppError } from "../../http/errors.ts";
import { isErrorEvent, readEvent, STRING_TYPE } from "../format/event.ts";
import { createEventCheck } from "../ingest/event-check.ts";

/** What one chunk may unpack to. It is read on the main thread, so larger ones would hold up everybody else. */
export const MAX_CHUNK_TEXT = 16 << 20;
export const MAX_CHUNK_BYTES = 8 << 20;
const MAX_REFERENCES = 10_000;
const MAY_BE_ERROR = /^(?:console\.error|assertion|agent\.action|network\.response)$/;

/** A chunk of a running trace, checked. */
export interface Chunk {
  lines: EventLine[];
  errors: number;
  /** Strings that were too long for their lines, and the SHA-256 that stands there instead. */
  texts: { hash: string; bytes: Buffer; mediaType: string }[];
}

/**
 * Reads a chunk whole. Nothing of it is taken unless all of it is right.
 * @param lastSeq the last sequence number taken so far.
 * @throws AppError `bundle_unreadable` naming the line, or `bundle_bomb`.
 */
export async function readChunk(bytes: Uint8Array, lastSeq: number | null): Promise<Chunk> {
  try {
    return await read(bytes, lastSeq);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** What is wrong with a chunk as its sender is told it; any other error as it is. */
export const refusalOf = (error: unknown): unknown =>
  error instanceof ArchiveError || error instanceof EventStreamError
    ? new AppError(error.kind, error.message)
    : error;

async function read(bytes: Uint8Array, lastSeq: number | null): Promise<Chunk> {
  const reader = readNdjson(once(bytes), { maxBytes: MAX_CHUNK_TEXT, maxLineBytes: MAX_CHUNK_TEXT });
  const texts = new Map<string, Buffer>();
  const { check, references } = createEventCheck(MAX_REFERENCES, (kept, sha256) => texts.set(sha256, kept));
  const lines: EventLine[] = [];
  let errors = 0;
  for await (const batch of reader)
    for (const { number, text } of batch) {
      const event = check(text, number);
      if (lines.length === 0 && lastSeq !== null && event.seq <= lastSeq)
        throw unreadable(
          `Line ${number} of the events is refused: \`seq\` is ${event.seq}, but ${lastSeq} was taken already.`,
        );
      lines.push(event);
      if (MAY_BE_ERROR.test(event.kind) && isErrorEvent(readEvent(event.line))) errors += 1;
    }
  if (reader.cut) throw unreadable(`The chunk ends early. ${reader.lost ?? ""}`.trim());
  if (lines.length === 0 && !isZstd(bytes))
    throw unreadable(
      bytes.length === 0
        ? "The chunk is empty: its body must be zstd-compressed NDJSON."
        : "The chunk is no zstd and holds no event: its body must be zstd-compressed NDJSON.",
    );
  return {
    lines,
    errors,
    texts: [...texts].map(([hash, bytes]) => ({
      hash,
      bytes,
      mediaType: references.get(hash) ?? STRING_TYPE,
    })),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
