import { expect, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createEventFiles } from "../../../store/events/files.ts";
import type { EventFile } from "../../../store/events/types.ts";
import { inFolder, naive, type Place, sampleEvents } from "./support.ts";

const EVENTS = sampleEvents(300, 40);

async function allLines(file: EventFile): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of file.lines()) lines.push(line);
  return lines;
}

/** Three chunks of 100 events, not finished; returns the file's size after each. */
async function writeChunks(place: Place): Promise<number[]> {
  const files = createEventFiles();
  const appender = await files.openAppender(place.path, place.indexPath);
  const sizes: number[] = [];
  for (let at = 0; at < 300; at += 100) {
    await appender.append(EVENTS.slice(at, at + 100));
    sizes.push(readFileSync(place.path).length);
  }
  files.close();
  return sizes;
}

test("readers see every acknowledged event at once, and only those", () =>
  inFolder(async (place) => {
    const files = createEventFiles();
    const appender = await files.openAppender(place.path, place.indexPath);
    const file = await files.open(place.path, place.indexPath);
    expect(await file.query({ offset: 0, limit: 10 })).toEqual({ lines: [], total: 0 });
    for (let at = 0; at < 300; at += 60) {
      const appending = appender.append(EVENTS.slice(at, at + 60));
      expect(file.info.count).toBe(at);
      await appending;
      expect(file.info.lastSeq).toBe(EVENTS[at + 59]!.seq);
      expect(await file.query({ offset: at, limit: 100 })).toEqual(
        naive(EVENTS.slice(0, at + 60), { offset: at, limit: 100 }),
      );
    }
    await appender.finish();
    expect(await allLines(file)).toEqual(EVENTS.map((event) => event.line));
    files.close();
  }));

test(
  "a tail torn at any byte of the last frame is cut off, and capture goes on",
  () =>
    inFolder(async (place) => {
      const [, second, third] = await writeChunks(place);
      const bytes = readFileSync(place.path);
      for (let length = second!; length < third!; length++) {
        writeFileSync(place.path, bytes.subarray(0, length));
        const files = createEventFiles();
        const appender = await files.openAppender(place.path, place.indexPath);
        expect(appender.info.count).toBe(200);
        expect(readFileSync(place.path).length).toBe(second!);
        if (length % 97 === 0) {
          await appender.append(EVENTS.slice(200));
          expect(await allLines(await files.open(place.path, place.indexPath))).toEqual(
            EVENTS.map((event) => event.line),
          );
        }
        files.close();
      }
    }),
  120_000,
);

test("a last frame of full length but wrong bytes is cut off too", () =>
  inFolder(async (place) => {
    const [, second, third] = await writeChunks(place);
    const fd = openSync(place.path, "r+");
    writeSync(fd, Buffer.alloc(40), 0, 40, third! - 60);
    closeSync(fd);
    const files = createEventFiles();
    const appender = await files.openAppender(place.path, place.indexPath);
    expect(appender.info.count).toBe(200);
    expect(readFileSync(place.path).length).toBe(second!);
    files.close();
  }));

test("a running trace without its writer is read up to its last whole frame, and left alone", () =>
  inFolder(async (place) => {
    const [, , third] = await writeChunks(place);
    truncateSync(place.path, third! - 5);
    const files = createEventFiles();
    const file = await files.open(place.path, place.indexPath);
    expect(await allLines(file)).toEqual(EVENTS.slice(0, 200).map((event) => event.line));
    expect(readFileSync(place.path).length).toBe(third! - 5);
    expect(existsSync(place.indexPath)).toBe(false);
    files.close();
  }));

test("events that are held already are passed over", () =>
  inFolder(async (place) => {
    const files = createEventFiles();
    const appender = await files.openAppender(place.path, place.indexPath);
    await appender.append(EVENTS.slice(0, 150));
    await appender.append(EVENTS.slice(100, 200));
    await appender.append(EVENTS.slice(100, 200));
    expect(appender.info.count).toBe(200);
    expect(await allLines(await files.open(place.path, place.indexPath))).toEqual(
      EVENTS.slice(0, 200).map((event) => event.line),
    );
    files.close();
  }));

test("appends that come at the same time take turns", () =>
  inFolder(async (place) => {
    const files = createEventFiles();
    const [one, two] = await Promise.all([
      files.openAppender(place.path, place.indexPath),
      files.openAppender(place.path, place.indexPath),
    ]);
    expect(one).toBe(two);
    await Promise.all(Array.from({ length: 30 }, (_, i) => one.append(EVENTS.slice(i * 10, i * 10 + 10))));
    const [info, again] = await Promise.all([one.finish(), one.finish()]);
    expect(info).toEqual(again);
    expect(info.storedSize).toBe(readFileSync(place.path).length);
    expect(await allLines(await files.open(place.path, place.indexPath))).toEqual(
      EVENTS.map((event) => event.line),
    );
    await expect(one.append(EVENTS)).rejects.toThrow("closed");
    files.close();
  }));

test("a finish that was cut short anywhere is made good by the next one", () =>
  inFolder(async (place) => {
    const sizes = await writeChunks(place);
    const frames = readFileSync(place.path);
    const files = createEventFiles();
    await (await files.openAppender(place.path, place.indexPath)).finish();
    files.close();
    const whole = readFileSync(place.path);
    const index = readFileSync(place.indexPath);
    expect(whole.subarray(0, sizes[2]).equals(frames)).toBe(true);
    for (let length = frames.length; length <= whole.length; length++) {
      writeFileSync(place.path, whole.subarray(0, length));
      writeFileSync(place.indexPath, "");
      const again = createEventFiles();
      await (await again.openAppender(place.path, place.indexPath)).finish();
      expect(readFileSync(place.path).equals(whole)).toBe(true);
      expect(readFileSync(place.indexPath).equals(index)).toBe(true);
      again.close();
    }
  }));

test("the finished file of a running trace is as any other", () =>
  inFolder(async (place) => {
    await writeChunks(place);
    const files = createEventFiles();
    await (await files.openAppender(place.path, place.indexPath)).finish();
    const copy = `${place.path}.copy`;
    copyFileSync(place.path, copy);
    expect(Bun.zstdDecompressSync(readFileSync(copy)).toString()).toBe(
      EVENTS.map((event) => `${event.line}\n`).join(""),
    );
    files.close();
  }));

test("a finish that fails lets capture go on", () =>
  inFolder(async (place) => {
    const files = createEventFiles();
    // A folder in the place of the index: it cannot be renamed there.
    mkdirSync(join(place.indexPath, "in the way"), { recursive: true });
    const appender = await files.openAppender(place.path, place.indexPath);
    await appender.append(EVENTS.slice(0, 100));
    await expect(appender.finish()).rejects.toThrow();
    await appender.append(EVENTS.slice(100));
    expect(readdirSync(place.folder).sort()).toEqual(["events.index", "events.ndjson.zst"]);
    rmSync(place.indexPath, { recursive: true });
    await appender.finish();
    const file = await files.open(place.path, place.indexPath);
    expect(await allLines(file)).toEqual(EVENTS.map((event) => event.line));
    files.close();
  }));

test("events past the bounds on kinds are refused whole: what comes after is taken, also after a restart", () =>
  inFolder(async (place) => {
    const made = (seq: number, kind: string) => {
      const event = { seq, ts: seq, kind, step_id: null };
      return { ...event, line: JSON.stringify(event) };
    };
    const files = createEventFiles();
    const appender = await files.openAppender(place.path, place.indexPath);
    await appender.append([made(1, "console.log")]);
    const many = Array.from({ length: 10_100 }, (_, at) => made(at + 2, `kind.${at}`));
    await expect(appender.append(many)).rejects.toMatchObject({ kind: "bundle_bomb" });
    const size = readFileSync(place.path).length;
    await appender.append([made(2, "console.log"), made(3, "console.log")]);
    files.close();

    const again = createEventFiles();
    const opened = await again.openAppender(place.path, place.indexPath);
    await expect(opened.append(many)).rejects.toMatchObject({ kind: "bundle_bomb" });
    expect(opened.info.count).toBe(3);
    expect(readFileSync(place.path).length).toBeGreaterThan(size);
    await opened.finish();
    expect(await allLines(await again.open(place.path, place.indexPath))).toHaveLength(3);
    again.close();
  }));
