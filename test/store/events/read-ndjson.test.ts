import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { compressFrame } from "../../../store/events/frames.ts";
import { type NdjsonLine, readNdjson } from "../../../store/events/read-ndjson.ts";
import { eventsArbitrary, inFolder, sampleEvents, writeFile } from "./support.ts";

const DRAIN = join(import.meta.dir, "../../helpers/drain-child.ts");
const CAPS = { maxBytes: 1 << 30, maxLineBytes: 1 << 20 };

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array | string, caps = CAPS, size = 1000) {
  const reader = readNdjson(pieces(Buffer.from(bytes as Uint8Array), size), caps);
  const lines: NdjsonLine[] = [];
  for await (const batch of reader) lines.push(...batch);
  return {
    lines,
    texts: lines.map((line) => line.text),
    cut: reader.cut,
    lost: reader.lost,
    bytes: reader.bytes,
  };
}

const frame = (text: string) => compressFrame(Buffer.from(text), 3);
const skippable = (length: number) => {
  const out = Buffer.alloc(8 + length, 0x28);
  out.writeUInt32LE(0x184d2a57, 0);
  out.writeUInt32LE(length, 4);
  return out;
};

test("plain and zstd streams give the same lines, in pieces of any size", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      async (strings, size, isSplit) => {
        const texts = strings.map((string) => JSON.stringify({ string }));
        const text = texts.map((line) => `${line}\n`).join("");
        const half = text.length >> 1;
        const packed = isSplit
          ? Buffer.concat([await frame(text.slice(0, half)), skippable(size), await frame(text.slice(half))])
          : await frame(text);
        // A frame boundary may fall between two halves of a character only when the text was cut there.
        fc.pre(!isSplit || text.slice(0, half).isWellFormed());
        for (const bytes of [Buffer.from(text), packed]) {
          const result = await read(bytes, CAPS, size);
          expect(result.lines).toEqual(texts.map((line, i) => ({ number: i + 1, text: line })));
          expect(result).toMatchObject({ cut: false, lost: null, bytes: Buffer.byteLength(text) });
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("our own event files are read back, seek table and all", async () => {
  await fc.assert(
    fc.asyncProperty(eventsArbitrary, (events) =>
      inFolder(async (place) => {
        await writeFile(place, events);
        const reader = readNdjson(place.path, CAPS);
        const lines: string[] = [];
        for await (const batch of reader) for (const line of batch) lines.push(line.text);
        expect(lines).toEqual(events.map((event) => event.line));
        expect(reader.cut).toBe(false);
      }),
    ),
    { numRuns: 10 },
  );
});

test("a stream cut at any byte keeps all full lines and says what is lost", async () => {
  const lines = Array.from({ length: 6 }, (_, i) => JSON.stringify({ i, t: "é".repeat(i) }));
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  for (let length = 1; length < text.length; length++) {
    const kept = text.subarray(0, length);
    const { texts, cut } = await read(kept, CAPS, 7);
    // A line whose text is whole counts even where only its line end is missing.
    const whole = lines.filter((_, i) => Buffer.byteLength(lines.slice(0, i + 1).join("\n")) <= length);
    expect(texts).toEqual(whole);
    expect(cut).toBe(Buffer.byteLength(whole.join("\n")) < length && kept.at(-1) !== 10);
  }
});

test("a zstd stream cut at any byte keeps the frames before and says so", async () => {
  const events = sampleEvents(20, 16).map((event) => `${event.line}\n`);
  const first = await frame(events.slice(0, 10).join(""));
  const second = await frame(events.slice(10).join(""));
  const whole = Buffer.concat([first, second]);
  for (let length = 5; length < whole.length; length++) {
    const { texts, cut, lost } = await read(whole.subarray(0, length), CAPS, 33);
    expect(cut).toBe(length !== first.length);
    expect(lost).toBe(length === first.length ? null : "The stream ends inside a zstd frame.");
    if (length >= first.length) expect(texts.length).toBeGreaterThanOrEqual(10);
    expect(events.join("").startsWith(texts.map((line) => `${line}\n`).join(""))).toBe(true);
  }
});

test("of a long frame that was cut, the lines that unpack are kept", async () => {
  const events = sampleEvents(10_000);
  const packed = await frame(events.map((event) => `${event.line}\n`).join(""));
  const { texts, cut } = await read(packed.subarray(0, packed.length >> 1), CAPS, 4096);
  expect(cut).toBe(true);
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts).toEqual(events.slice(0, texts.length).map((event) => event.line));
});

test("what follows the last frame without being one is lost in words", async () => {
  const { texts, lost } = await read(Buffer.concat([await frame('{"a":1}\n'), Buffer.alloc(500)]));
  expect(texts).toEqual(['{"a":1}']);
  expect(lost).toMatch(/^After byte \d+ comes something that is no zstd frame\.$/);
});

test("CRLF, blank lines and a byte order mark do no harm, and lines keep their numbers", async () => {
  const { lines, cut } = await read('\ufeff{"a":1}\r\n\n  \r\n{"b":2}\n{"c":3}');
  expect(lines).toEqual([
    { number: 1, text: '{"a":1}' },
    { number: 4, text: '{"b":2}' },
    { number: 5, text: '{"c":3}' },
  ]);
  expect(cut).toBe(false);
});

test("a NUL byte and invalid UTF-8 are refused by line", async () => {
  await expect(read('{"a":1}\n{"b":"\0"}\n')).rejects.toMatchObject({
    kind: "bundle_unreadable",
    message: "Line 2 of the events holds a NUL byte.",
  });
  const invalid = Buffer.concat([
    Buffer.from('{"a":1}\n\n{"b":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}\n'),
  ]);
  await expect(read(invalid)).rejects.toMatchObject({
    kind: "bundle_unreadable",
    message: "Line 3 of the events is not valid UTF-8.",
  });
});

test("a tail of zeros, as a crash leaves it, counts as cut", async () => {
  const { texts, cut } = await read(`{"a":1}\n${"\0".repeat(100)}`);
  expect(texts).toEqual(['{"a":1}']);
  expect(cut).toBe(true);
});

test("a damaged frame is refused in words", async () => {
  const packed = Buffer.from(
    await frame(
      sampleEvents(100)
        .map((event) => `${event.line}\n`)
        .join(""),
    ),
  );
  packed[packed.length - 2]! ^= 1;
  await expect(read(packed)).rejects.toMatchObject({
    kind: "bundle_unreadable",
    message: expect.stringContaining("zstd stream is damaged"),
  });
});

test("the caps on bytes and line length hold, plain and packed", async () => {
  const text = sampleEvents(2000)
    .map((event) => `${event.line}\n`)
    .join("");
  const long = `{"a":"${"é".repeat(600)}"}`;
  for (const pack of [async (bytes: string) => Buffer.from(bytes), frame]) {
    await expect(read(await pack(text), { ...CAPS, maxBytes: text.length - 1 })).rejects.toMatchObject({
      kind: "bundle_bomb",
    });
    expect((await read(await pack(text), { ...CAPS, maxBytes: text.length })).texts.length).toBe(2000);
    for (const ended of [`{}\n${long}\n`, `{}\n${long}`])
      await expect(read(await pack(ended), { ...CAPS, maxLineBytes: 1000 })).rejects.toMatchObject({
        kind: "bundle_bomb",
        message: "Line 2 of the events is longer than 1000 bytes.",
      });
  }
});

/** Blocks of RFC 8878 that each say "one byte, 128 KiB times": 4 bytes become 131,072. */
function bomb(unpackedBytes: number): Buffer {
  const blocks = Math.ceil(unpackedBytes / (128 << 10));
  const out = Buffer.alloc(6 + blocks * 4);
  out.writeUInt32LE(0xfd2fb528, 0);
  out[4] = 0;
  // Window of 128 MiB.
  out[5] = 17 << 3;
  for (let i = 0; i < blocks; i++) {
    out.writeUIntLE(((128 << 10) << 3) | 2 | (i === blocks - 1 ? 1 : 0), 6 + i * 4, 3);
    out[9 + i * 4] = i % 8 === 7 ? 10 : 97;
  }
  return out;
}

test(
  "a bomb is refused while memory stays flat",
  () =>
    inFolder(async ({ path }) => {
      const packed = bomb(10 * 2 ** 30);
      expect(packed.length).toBeLessThan(330_000);
      writeFileSync(path, packed);
      const child = Bun.spawnSync([process.execPath, DRAIN, path, String(600 << 20)]);
      const { kind, bytes, grown } = JSON.parse(child.stdout.toString());
      expect(kind).toBe("bundle_bomb");
      expect(bytes).toBeLessThan(602 << 20);
      expect(grown).toBeGreaterThan(0);
      // The window alone takes 128 MiB.
      expect(grown).toBeLessThan(300 << 20);
    }),
  120_000,
);

test("a window of more than 128 MiB is refused", async () => {
  const packed = bomb(1 << 20);
  packed[5] = 20 << 3;
  await expect(read(packed)).rejects.toMatchObject({ kind: "bundle_bomb" });
});

test("an error of the source reaches the reader, and stopping early closes the source", async () => {
  async function* failing() {
    yield Buffer.from('{"a":1}\n');
    throw new Error("client gone");
  }
  const drain = async (source: AsyncIterable<Uint8Array>) => {
    for await (const _ of readNdjson(source, CAPS));
  };
  await expect(drain(failing())).rejects.toThrow("client gone");
  const packed = await frame(
    sampleEvents(5000)
      .map((event) => `${event.line}\n`)
      .join(""),
  );
  async function* failingPacked() {
    yield packed.subarray(0, 500);
    throw new Error("client gone");
  }
  await expect(drain(failingPacked())).rejects.toThrow("client gone");
  for (const bytes of [packed, Buffer.from('{"a":1}\n'.repeat(1000))]) {
    let isClosed = false;
    const source = (async function* () {
      try {
        yield* pieces(bytes, 100);
      } finally {
        isClosed = true;
      }
    })();
    for await (const _ of readNdjson(source, CAPS)) break;
    expect(isClosed).toBe(true);
  }
});
