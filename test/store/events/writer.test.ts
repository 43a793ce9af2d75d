import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { frameExtent } from "../../../store/events/frames.ts";
import { encodeSeekTable, parseSeekTable, seekTableSize } from "../../../store/events/seek-table.ts";
import { createEventWriter } from "../../../store/events/writer.ts";
import { zstdcat } from "../../helpers/zstdcat.ts";
import { eventLine, eventsArbitrary, inFolder, sampleEvents, writeFile } from "./support.ts";

const FRAME_SIZE = 1 << 20;

test("plain zstdcat gives back every line", async () => {
  await fc.assert(
    fc.asyncProperty(eventsArbitrary, (events) =>
      inFolder(async (place) => {
        await writeFile(place, events);
        expect(zstdcat(place.path)).toBe(events.map((event) => `${event.line}\n`).join(""));
      }),
    ),
    { numRuns: 10 },
  );
}, 120_000);

test("the seek table leads to every frame, and each unpacks alone to what it says", () =>
  inFolder(async (place) => {
    const events = sampleEvents(20_000);
    await writeFile(place, events);
    const bytes = readFileSync(place.path);
    const tableAt = bytes.length - seekTableSize(bytes)!;
    const table = parseSeekTable(bytes.subarray(tableAt))!;
    let at = 0;
    let text = "";
    for (const { compressedSize, size, checksum } of table) {
      const frame = bytes.subarray(at, at + compressedSize);
      expect(frameExtent(frame, 0)).toEqual({ type: "frame", end: compressedSize, contentSize: size });
      const data = Bun.zstdDecompressSync(frame);
      expect(data.length).toBe(size);
      expect(Number(Bun.hash.xxHash64(data) & 0xffffffffn)).toBe(checksum);
      expect(data.at(-1)).toBe(10);
      expect(size).toBeLessThanOrEqual(FRAME_SIZE);
      text += data.toString();
      at += compressedSize;
    }
    expect(at).toBe(tableAt);
    expect(text).toBe(events.map((event) => `${event.line}\n`).join(""));
    // Full frames, not many small ones.
    expect(table.length).toBe(Math.ceil(text.length / (FRAME_SIZE - 300)));
  }));

test("the seek table has the bytes that the format describes", () => {
  const table = encodeSeekTable([{ compressedSize: 0x0102, size: 0x0304, checksum: 0xa1b2c3d4 }]);
  expect(Buffer.from(table).toString("hex")).toBe(
    ["5e2a4d18", "15000000", "02010000", "04030000", "d4c3b2a1", "01000000", "80", "b1ea928f"].join(""),
  );
});

test("what is no seek table is not taken for one", () => {
  const table = Buffer.from(encodeSeekTable([{ compressedSize: 5, size: 9, checksum: 1 }]));
  for (let i = 0; i < table.length; i++) {
    // Sizes and checksums of the entries are free.
    if (i >= 8 && i < 20) continue;
    const other = Buffer.from(table);
    other[i]! ^= 0x41;
    expect(parseSeekTable(other)).toBeNull();
  }
  expect(parseSeekTable(table.subarray(1))).toBeNull();
  expect(parseSeekTable(Buffer.alloc(0))).toBeNull();
});

test("a line larger than a frame is a frame of its own", () =>
  inFolder(async (place) => {
    const events = [1, 2, 3, 4].map((seq) =>
      eventLine({ seq, ts: seq, kind: "a" }, { text: "é".repeat(seq === 2 ? 3_000_000 : 10) }),
    );
    await writeFile(place, events);
    const bytes = readFileSync(place.path);
    const table = parseSeekTable(bytes.subarray(bytes.length - seekTableSize(bytes)!))!;
    expect(table.map((entry) => entry.size)).toEqual([
      Buffer.byteLength(events[0]!.line) + 1,
      Buffer.byteLength(events[1]!.line) + 1,
      Buffer.byteLength(events[2]!.line + events[3]!.line) + 2,
    ]);
  }));

test("the totals tell counts, ends and sizes", () =>
  inFolder(async (place) => {
    const events = [
      eventLine({ seq: 3, ts: 50, kind: "b" }),
      eventLine({ seq: 4, ts: 20, kind: "a" }),
      eventLine({ seq: 9, ts: 30, kind: "b" }),
    ];
    expect(await writeFile(place, events)).toEqual({
      count: 3,
      firstSeq: 3,
      lastSeq: 9,
      minTs: 20,
      maxTs: 50,
      kinds: { a: 1, b: 2 },
      size: events.reduce((sum, event) => sum + event.line.length + 1, 0),
      storedSize: readFileSync(place.path).length,
    });
  }));

test("nothing is at the path before the end, and an abort leaves nothing", () =>
  inFolder(async (place) => {
    const writer = await createEventWriter(place);
    for (const event of sampleEvents(6000)) await writer.append(event.line, event);
    expect(existsSync(place.path)).toBe(false);
    await writer.abort();
    expect(readdirSync(place.folder)).toEqual([]);
  }));

test("a sequence number that does not rise is refused in words", () =>
  inFolder(async (place) => {
    const writer = await createEventWriter(place);
    writer.append('{"seq":2}', { seq: 2, ts: 0, kind: "a" });
    expect(() => writer.append('{"seq":2}', { seq: 2, ts: 0, kind: "a" })).toThrow("seq 2 does not follow 2");
    await writer.abort();
  }));

test("more kinds than the index can number are refused", () =>
  inFolder(async (place) => {
    const writer = await createEventWriter(place);
    const fill = async () => {
      for (let seq = 0; seq < 70_000; seq++)
        await writer.append(`{"seq":${seq}}`, { seq, ts: 0, kind: `k${seq}` });
    };
    await expect(fill()).rejects.toMatchObject({ kind: "bundle_bomb" });
    await writer.abort();
  }));

test("a full disk is an error that leaves nothing behind", () =>
  inFolder(async (place) => {
    // Linux's device that is always full stands in for the partial file.
    if (!existsSync("/dev/full")) return;
    const { symlinkSync } = await import("node:fs");
    symlinkSync("/dev/full", `${place.path}.partial`);
    const writer = await createEventWriter(place);
    const fill = async () => {
      for (const event of sampleEvents(20_000)) await writer.append(event.line, event);
      await writer.finish();
    };
    await expect(fill()).rejects.toMatchObject({ code: "ENOSPC" });
    await writer.abort();
    expect(readdirSync(place.folder)).toEqual([]);
  }));
