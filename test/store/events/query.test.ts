import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import fc from "fast-check";
import { createByteCache } from "../../../store/events/cache.ts";
import { createOpenFile } from "../../../store/events/event-file.ts";
import { createEventFiles } from "../../../store/events/files.ts";
import { pagesOf } from "../../../store/events/page.ts";
import { runQuery } from "../../../store/events/query.ts";
import { identify, indexClosedFile } from "../../../store/events/rebuild.ts";
import type { EventPage } from "../../../store/events/types.ts";
import {
  eventLine,
  eventsArbitrary,
  inFolder,
  naive,
  queryArbitrary,
  sampleEvents,
  writeFile,
} from "./support.ts";

test("a query answers what filtering every line answers, whatever is cached", async () => {
  await fc.assert(
    fc.asyncProperty(
      eventsArbitrary,
      fc.array(queryArbitrary, { minLength: 25, maxLength: 40 }),
      fc.constantFrom(0, 3 << 20, 64 << 20),
      (events, queries, cacheBytes) =>
        inFolder(async (place) => {
          await writeFile(place, events);
          const files = createEventFiles({ cacheBytes });
          const file = await files.open(place.path, place.indexPath);
          for (const query of queries) expect(await file.query(query)).toEqual(naive(events, query));
          files.close();
        }),
    ),
    { numRuns: 30 },
  );
}, 120_000);

test("a running trace answers the same as its finished file", async () => {
  await fc.assert(
    fc.asyncProperty(eventsArbitrary, fc.array(queryArbitrary, { minLength: 10 }), (events, queries) =>
      inFolder(async ({ path, indexPath }) => {
        const files = createEventFiles();
        const appender = await files.openAppender(path, indexPath);
        const file = await files.open(path, indexPath);
        for (let at = 0; at < events.length; at += 20) {
          await appender.append(events.slice(at, at + 20));
          const query = queries[at % queries.length]!;
          expect(await file.query(query)).toEqual(naive(events.slice(0, at + 20), query));
        }
        await appender.finish();
        for (const query of queries) expect(await file.query(query)).toEqual(naive(events, query));
        files.close();
      }),
    ),
    { numRuns: 20 },
  );
}, 120_000);

test("a page ends before it has more than 8 MiB of lines, from either end and however they are found; one line always comes", async () => {
  const lineArbitrary = fc.record({
    kind: fc.constantFrom("console.log", "console.error", "clock.advance"),
    size: fc.constantFrom(100, 300_000, 2_000_000, 5_000_000, 8_388_608, 15_000_000),
    text: fc.constantFrom("needle", "ü", ""),
  });
  const rangeArbitrary = fc.record(
    {
      kinds: fc.constantFrom<string[][]>(
        ["console.*"],
        ["clock.advance"],
        ["console.error", "clock.advance"],
      ),
      text: fc.constant("needle"),
      isFromEnd: fc.boolean(),
      fromSeq: fc.integer({ min: 0, max: 30 }),
      offset: fc.integer({ min: 0, max: 10 }),
      limit: fc.constantFrom(1, 5, 1000),
    },
    { requiredKeys: ["offset", "limit"] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(lineArbitrary, { minLength: 5, maxLength: 25 }),
      fc.array(rangeArbitrary, { minLength: 12, maxLength: 20 }),
      (drafts, queries) =>
        inFolder(async (place) => {
          const events = drafts.map(({ kind, size, text }, seq) => {
            const event = { seq, ts: seq, kind };
            const rest = Buffer.byteLength(JSON.stringify({ ...event, text, padding: "" }));
            return eventLine(event, { text, padding: "p".repeat(Math.max(0, size - rest)) });
          });
          await writeFile(place, events);
          const files = createEventFiles({ cacheBytes: 20 << 20 });
          const file = await files.open(place.path, place.indexPath);
          for (const query of queries) {
            if (query.text) delete query.isFromEnd;
            // Compared by where they begin: a difference must not print megabytes.
            const told = ({ lines, total }: EventPage) => [total, ...lines.map((line) => line.slice(0, 12))];
            expect(told(await file.query(query))).toEqual(told(naive(events, query)));
          }
          let seen = 0;
          for await (const lines of pagesOf(file, {})) seen += lines.length;
          expect(seen).toBe(events.length);
          files.close();
        }),
    ),
    { numRuns: 12 },
  );
}, 120_000);

test("kinds and steps scattered over many frames are answered like all others", () =>
  inFolder(async (place) => {
    const events = Array.from({ length: 12_000 }, (_, i) =>
      eventLine(
        {
          seq: i * 2,
          ts: i,
          kind: i % 4001 === 0 ? "clock.advance" : i % 701 === 0 ? "assertion" : "console.log",
          step_id: `step-${i % 500}`,
        },
        { text: `${i % 10 === 0 ? "needle" : ""}${"y".repeat(700)}` },
      ),
    );
    await writeFile(place, events);
    const files = createEventFiles({ cacheBytes: 1 << 20 });
    const file = await files.open(place.path, place.indexPath);
    for (const query of [
      { kinds: ["clock.advance"] },
      { kinds: ["clock.advance", "assertion"] },
      { kinds: ["a*", "clock.*"], fromSeq: 9001, offset: 3 },
      { step: "step-7" },
      { step: "step-7", offset: 10, limit: 5 },
      { step: "step-0", kinds: ["assertion", "clock.advance"] },
      { step: "step-0", fromSeq: 12_345 },
      { step: "step-10", text: "needle" },
      { kinds: ["assertion"], text: "needle", offset: 1 },
      { kinds: ["assertion", "console.log"], offset: 5000 },
    ]) {
      const whole = { offset: 0, limit: 200, ...query };
      expect(await file.query(whole)).toEqual(naive(events, whole));
    }
    files.close();
  }));

test("lines run from any sequence number on, across frames", () =>
  inFolder(async (place) => {
    const events = sampleEvents(9000);
    await writeFile(place, events);
    const files = createEventFiles();
    const file = await files.open(place.path, place.indexPath);
    for (const fromSeq of [undefined, 0, 1, 2, 4321, 9000, 9001]) {
      const lines: string[] = [];
      for await (const line of file.lines(fromSeq)) lines.push(line);
      expect(lines).toEqual(events.filter((event) => event.seq >= (fromSeq ?? 0)).map((event) => event.line));
    }
    files.close();
  }));

test("a long text search lets other work run in between", () =>
  inFolder(async (place) => {
    await writeFile(place, sampleEvents(30_000));
    const files = createEventFiles();
    const file = await files.open(place.path, place.indexPath);
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
      }
    })();
    const page = await file.query({ text: "29999:", offset: 0, limit: 10 });
    isDone = true;
    await others;
    expect(page.total).toBe(1);
    expect(turns).toBeGreaterThan(5);
    files.close();
  }));

test("a trace without events has empty pages", () =>
  inFolder(async (place) => {
    const info = await writeFile(place, []);
    expect(info).toMatchObject({ count: 0, firstSeq: null, lastSeq: null, kinds: {}, size: 0 });
    const files = createEventFiles();
    const file = await files.open(place.path, place.indexPath);
    expect(await file.query({ offset: 0, limit: 10 })).toEqual({ lines: [], total: 0 });
    expect(await file.query({ offset: 0, limit: 10, fromSeq: 3, text: "a" })).toEqual({
      lines: [],
      total: 0,
    });
    files.close();
  }));

test("a search for text that is given up reads no further frame, and one before it goes on", async () => {
  await inFolder(async (place) => {
    await writeFile(place, sampleEvents(20_000));
    const fd = openSync(place.path, "r");
    const index = await indexClosedFile(fd, identify(fd)!.framesEnd);
    const { source } = createOpenFile({ fd, fds: [fd], index, cache: createByteCache(1 << 20), owner: "1/" });
    const given = new AbortController();
    const seen: number[] = [];
    const watched = {
      ...source,
      async *walk(frames: Iterable<number>) {
        for await (const read of source.walk(frames)) {
          seen.push(read.frame);
          given.abort();
          yield read;
        }
      },
    };
    const query = { text: "abcdefgh", offset: 0, limit: 10 };
    expect(index.frames.length).toBeGreaterThan(3);
    await expect(runQuery(watched, { ...query, signal: given.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(seen).toEqual([0]);
    const other = { ...query, signal: new AbortController().signal };
    expect((await runQuery(source, other)).total).toBe(20_000);
    closeSync(fd);
  });
});

test("a text is looked for once in every frame, however many kinds and pages of it are asked for", async () => {
  await inFolder(async (place) => {
    await writeFile(place, sampleEvents(20_000));
    const fd = openSync(place.path, "r");
    const index = await indexClosedFile(fd, identify(fd)!.framesEnd);
    const { source } = createOpenFile({ fd, fds: [fd], index, cache: createByteCache(8 << 20), owner: "1/" });
    let unpacked = 0;
    const watched = {
      ...source,
      async *walk(frames: Iterable<number>) {
        for await (const read of source.walk(frames)) {
          unpacked++;
          yield read;
        }
      },
    };
    const query = { text: "19999:", offset: 0, limit: 10 };
    expect((await runQuery(watched, query)).lines).toHaveLength(1);
    expect(unpacked).toBe(index.frames.length);
    unpacked = 0;
    for (const kind of index.kindNames) {
      const { lines, total } = await runQuery(watched, { ...query, kinds: [kind] });
      expect(lines).toHaveLength(total);
    }
    // The one line itself.
    expect(unpacked).toBe(1);
    expect((await runQuery(watched, { ...query, isLoose: true })).total).toBe(1);
    expect(unpacked).toBe(1 + index.frames.length);
    closeSync(fd);
  });
});

test("a search among copied lines that is given up stops too", async () => {
  await inFolder(async (place) => {
    // So far apart that the index has copies of them, and more than are looked through in one go.
    const events = Array.from({ length: 3_000 }, (_, at) =>
      eventLine(
        { seq: at, ts: at, kind: at % 2 ? "console.error" : "console.log" },
        { text: `${at}:${"x".repeat(at % 2 ? 4_000 : 8_000)}` },
      ),
    );
    await writeFile(place, events);
    const files = createEventFiles();
    const file = await files.open(place.path, place.indexPath);
    const query = { kinds: ["console.error"], text: "x", offset: 0, limit: 1 };
    const signal = AbortSignal.abort();
    await expect(file.query({ ...query, signal })).rejects.toBe(signal.reason);
    expect((await file.query(query)).total).toBe(1_500);
    files.close();
  });
});
