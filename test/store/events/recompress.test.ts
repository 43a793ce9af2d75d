import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createEventFiles } from "../../../store/events/files.ts";
import { recompress } from "../../../store/events/recompress.ts";
import { eventLine, inFolder, naive, type Place, sampleEvents, writeFile } from "./support.ts";

const EVENTS = sampleEvents(7000);
const QUERIES = [
  { offset: 6900, limit: 200 },
  { kinds: ["clock.advance"], offset: 0, limit: 200 },
  { step: "call@77", offset: 0, limit: 200 },
  { text: "777:", offset: 0, limit: 200 },
];

const outOf = (place: Place) => ({ outPath: `${place.path}.19`, outIndexPath: `${place.indexPath}.19` });

test("a recompressed file has the same text, is smaller, and answers the same", () =>
  inFolder(async (place) => {
    const events = EVENTS.slice(0, 3000).map((event) =>
      eventLine(
        { seq: event.seq, ts: event.ts, kind: event.kind },
        {
          url: `https://shop.test/${Bun.hash(`${event.seq}`).toString(36)}?page=${event.seq % 7}`,
        },
      ),
    );
    await writeFile(place, events, 1);
    const out = outOf(place);
    const progress: number[] = [];
    const info = await recompress({
      ...place,
      ...out,
      level: 19,
      onProgress: ({ done, total }) => progress.push(done / total),
    });
    expect(statSync(out.outPath).size).toBeLessThan(statSync(place.path).size);
    expect(info.storedSize).toBe(statSync(out.outPath).size);
    expect(
      Bun.zstdDecompressSync(readFileSync(out.outPath)).equals(
        Bun.zstdDecompressSync(readFileSync(place.path)),
      ),
    ).toBe(true);
    expect(progress.at(-1)).toBe(1);
    const files = createEventFiles();
    const file = await files.open(out.outPath, out.outIndexPath);
    for (const query of QUERIES) expect(await file.query(query)).toEqual(naive(events, query));
    files.close();
  }));

test("small frames of a live capture become full ones", () =>
  inFolder(async (place) => {
    const files = createEventFiles();
    const appender = await files.openAppender(place.path, place.indexPath);
    for (let at = 0; at < EVENTS.length; at += 100) await appender.append(EVENTS.slice(at, at + 100));
    const before = await appender.finish();
    const out = outOf(place);
    const after = await recompress({ ...place, ...out, level: 3 });
    expect(after.storedSize).toBeLessThan(before.storedSize);
    const file = await files.open(out.outPath, out.outIndexPath);
    for (const query of QUERIES) expect(await file.query(query)).toEqual(naive(EVENTS, query));
    files.close();
  }));

test("an aborted recompression leaves the old file alone and no new one", () =>
  inFolder(async (place) => {
    await writeFile(place, EVENTS);
    const before = readdirSync(place.folder).sort();
    const controller = new AbortController();
    const running = recompress({
      ...place,
      ...outOf(place),
      level: 3,
      signal: controller.signal,
      onProgress: () => controller.abort(new Error("enough")),
    });
    await expect(running).rejects.toThrow("enough");
    expect(readdirSync(place.folder).sort()).toEqual(before);
  }));

test("a handle that was opened before its files were removed says so", () =>
  inFolder(async (place) => {
    await writeFile(place, EVENTS);
    const files = createEventFiles();
    const file = await files.open(place.path, place.indexPath);
    rmSync(place.path);
    rmSync(place.indexPath);
    files.invalidate(place.path);
    await expect(file.query({ offset: 0, limit: 1 })).rejects.toMatchObject({ code: "ENOENT" });
    expect(existsSync(place.indexPath)).toBe(false);
    files.close();
  }));
