import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { EventStreamError } from "./errors.ts";
import { asBuffer, SKIPPABLE_MAGIC, ZSTD_MAGIC } from "./frames.ts";
import { unpackZstd } from "./unpack.ts";

export interface NdjsonLine {
  /** Counted from 1, blank lines included. */
  number: number;
  /** Without line end. */
  text: string;
}

/** Iterates over the lines of a stream in batches. Memory stays flat, whatever the size. */
export interface NdjsonReader extends AsyncIterable<NdjsonLine[]> {
  /** After the last batch: whether the stream ended inside a line or a frame. All full lines before were given. */
  readonly cut: boolean;
  /** What was lost, in words; null when nothing was. */
  readonly lost: string | null;
  /** Bytes of text so far, unpacked. */
  readonly bytes: number;
}

export interface NdjsonCaps {
  /** Most bytes the stream may unpack to. */
  maxBytes: number;
  maxLineBytes: number;
}

const NEWLINE = 10;
const BYTE_ORDER_MARK = "\ufeff";

/**
 * Reads newline-delimited JSON, plain or zstd (told by its first bytes; several frames, skippable ones among them),
 * from a path or a stream. Line ends may be CRLF, blank lines are passed over, a byte order mark is dropped. A last line
 * without line end counts when it is a JSON object, else the stream was cut there. Other lines are not parsed.
 * @throws while iterating, EventStreamError: `bundle_bomb` past a cap; `bundle_unreadable` for damaged zstd, and for a
 * line with a NUL byte or invalid UTF-8, naming it.
 */
export function readNdjson(
  source: string | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
  caps: NdjsonCaps,
): NdjsonReader {
  const state = { cut: false, lost: null as string | null, bytes: 0 };

  function lose(what: string) {
    state.cut = true;
    state.lost ??= what;
  }

  async function* batches(): AsyncGenerator<NdjsonLine[]> {
    const chunks =
      typeof source === "string"
        ? (createReadStream(source, { highWaterMark: 256 << 10 }) as AsyncIterable<Uint8Array>)
        : (source as AsyncIterable<Uint8Array>);
    let rest: Buffer[] = [];
    let restSize = 0;
    let number = 0;
    for await (const chunk of text(chunks, lose)) {
      state.bytes += chunk.length;
      if (state.bytes > caps.maxBytes)
        throw new EventStreamError("bundle_bomb", `The events unpack to more than ${caps.maxBytes} bytes.`);
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end > 0) {
        const whole =
          rest.length > 0 ? Buffer.concat([...rest, chunk.subarray(0, end)]) : chunk.subarray(0, end);
        const lines = splitLines(whole, number, caps.maxLineBytes);
        number = lines.lastNumber;
        if (lines.lines.length > 0) yield lines.lines;
        rest = [];
        restSize = 0;
      }
      if (end === chunk.length) continue;
      // A copy: what is kept must not be overwritten, nor keep the whole chunk in memory.
      rest.push(Buffer.from(chunk.subarray(end)));
      restSize += chunk.length - end;
      if (restSize > caps.maxLineBytes) throw tooLong(number + 1, caps.maxLineBytes);
    }
    if (restSize === 0) return;
    const last = lastLine(Buffer.concat(rest), number === 0);
    if (last === null) lose(`The stream ends inside line ${number + 1}.`);
    else if (last !== "") yield [{ number: number + 1, text: last }];
  }

  return {
    get cut() {
      return state.cut;
    },
    get lost() {
      return state.lost;
    },
    get bytes() {
      return state.bytes;
    },
    [Symbol.asyncIterator]: batches,
  };
}

/** The bytes of the text, unpacked when the first four say zstd. */
async function* text(
  chunks: AsyncIterable<Uint8Array>,
  lose: (what: string) => void,
): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const all = (async function* () {
    try {
      if (head.length > 0) yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next())
        yield asBuffer(next.value);
    } finally {
      await iterator.return?.();
    }
  })();
  yield* isZstd(head) ? unpackZstd(all, lose) : all;
}

/** Whether bytes begin as a zstd stream does: with a frame, or with one to skip. */
export function isZstd(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const magic = asBuffer(bytes).readUInt32LE(0);
  return magic === ZSTD_MAGIC || (magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC;
}

function splitLines(bytes: Buffer, before: number, maxLineBytes: number) {
  if (bytes.includes(0) || !isUtf8(bytes)) throw badLine(bytes, before);
  const lines: NdjsonLine[] = [];
  let number = before;
  const texts = bytes.toString("utf8", 0, bytes.length - 1).split("\n");
  if (before === 0 && texts[0]!.startsWith(BYTE_ORDER_MARK)) texts[0] = texts[0]!.slice(1);
  for (const raw of texts) {
    number++;
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (text.length * 3 > maxLineBytes && Buffer.byteLength(text) > maxLineBytes)
      throw tooLong(number, maxLineBytes);
    if (!isBlank(text)) lines.push({ number, text });
  }
  return { lines, lastNumber: number };
}

const isBlank = (text: string) => text.length === 0 || (text.charCodeAt(0) <= 32 && text.trim() === "");

/** The unterminated last line when it is whole, "" when blank, null when it was cut. */
function lastLine(bytes: Buffer, isFirst: boolean): string | null {
  if (!isUtf8(bytes)) return null;
  const raw = bytes.toString("utf8");
  const text = isFirst && raw.startsWith(BYTE_ORDER_MARK) ? raw.slice(1) : raw;
  if (isBlank(text)) return "";
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? text : null;
  } catch {
    return null;
  }
}

function tooLong(number: number, maxLineBytes: number) {
  return new EventStreamError(
    "bundle_bomb",
    `Line ${number} of the events is longer than ${maxLineBytes} bytes.`,
  );
}

function badLine(bytes: Buffer, before: number): EventStreamError {
  let number = before;
  for (let start = 0; start < bytes.length; ) {
    number++;
    const end = bytes.indexOf(NEWLINE, start);
    const line = bytes.subarray(start, end);
    if (line.includes(0))
      return new EventStreamError("bundle_unreadable", `Line ${number} of the events holds a NUL byte.`);
    if (!isUtf8(line))
      return new EventStreamError("bundle_unreadable", `Line ${number} of the events is not valid UTF-8.`);
    start = end + 1;
  }
  return new EventStreamError("bundle_unreadable", "The events are not valid UTF-8.");
}
