import { expect, test } from "bun:test";
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DamagedFileError } from "../../../store/events/errors.ts";
import { createEventFiles } from "../../../store/events/files.ts";
import { rebuildIndex } from "../../../store/events/rebuild.ts";
import { eventLine, inFolder, naive, type Place, sampleEvents, writeFile } from "./support.ts";

const EVENTS = sampleEvents(12_000);
const QUERIES = [
  { offset: 11_990, limit: 20 },
  { kinds: ["clock.advance"], offset: 0, limit: 200 },
  { kinds: ["network.*"], offset: 3000, limit: 10 },
  { step: "call@100", kinds: ["console.log"], offset: 0, limit: 200 },
];

/** Opens anew, as after a restart, and compares every answer. */
async function expectWhole(place: Place, events = EVENTS) {
  const files = createEventFiles();
  const file = await files.open(place.path, place.indexPath);
  expect(file.info.count).toBe(events.length);
  for (const query of QUERIES) expect(await file.query(query)).toEqual(naive(events, query));
  files.close();
}

test("a missing index is made anew, with the same bytes", () =>
  inFolder(async (place) => {
    const info = await writeFile(place, EVENTS);
    const index = readFileSync(place.indexPath);
    rmSync(place.indexPath);
    await expectWhole(place);
    expect(readFileSync(place.indexPath).equals(index)).toBe(true);
    expect(await rebuildIndex(place.path, place.indexPath)).toEqual(info);
  }));

test(
  "an index damaged at any byte is noticed and made anew",
  () =>
    inFolder(async (place) => {
      await writeFile(place, EVENTS);
      const index = readFileSync(place.indexPath);
      for (let i = 0; i < 60; i++) {
        const damaged = Buffer.from(index);
        const at = i < 20 ? i * 3 : Math.floor((index.length * (i - 20)) / 40);
        damaged[at]! ^= 0x55;
        writeFileSync(place.indexPath, damaged);
        await expectWhole(place);
      }
    }),
  120_000,
);

test("an index cut anywhere is made anew", () =>
  inFolder(async (place) => {
    await writeFile(place, EVENTS);
    const size = statSync(place.indexPath).size;
    for (const length of [0, 1, 63, 64, 65, size >> 1, size - 1]) {
      truncateSync(place.indexPath, length);
      await expectWhole(place);
    }
  }));

test("the index of another file is not believed", () =>
  inFolder(async (place) => {
    const other = { ...place, path: `${place.path}.other`, indexPath: `${place.indexPath}.other` };
    await writeFile(other, EVENTS.slice(0, 11_000));
    await writeFile(place, EVENTS);
    copyFileSync(other.indexPath, place.indexPath);
    await expectWhole(place);
  }));

test("an index that goes bad while it is open is made anew under the query", () =>
  inFolder(async (place) => {
    await writeFile(place, EVENTS);
    const files = createEventFiles({ cacheBytes: 0 });
    const file = await files.open(place.path, place.indexPath);
    const bytes = readFileSync(place.indexPath);
    writeFileSync(place.indexPath, Buffer.alloc(bytes.length, 7));
    for (const query of QUERIES) expect(await file.query(query)).toEqual(naive(EVENTS, query));
    files.close();
  }));

test("queries at the same time all survive an index that goes bad", () =>
  inFolder(async (place) => {
    await writeFile(place, EVENTS);
    const files = createEventFiles({ cacheBytes: 0 });
    const file = await files.open(place.path, place.indexPath);
    for (let round = 0; round < 3; round++) {
      writeFileSync(place.indexPath, Buffer.alloc(statSync(place.indexPath).size, 7));
      const pages = await Promise.all([...QUERIES, ...QUERIES].map((query) => file.query(query)));
      expect(pages).toEqual([...QUERIES, ...QUERIES].map((query) => naive(EVENTS, query)));
    }
    files.close();
    expect(readdirSync(place.folder).length).toBe(2);
  }));

test("where an index cannot be kept, it serves from memory", () =>
  inFolder(async (place) => {
    // Nobody may make files there, not even root.
    if (process.platform !== "linux") return;
    await writeFile(place, EVENTS);
    await expectWhole({ ...place, indexPath: "/sys/tracedeck.index" });
  }));

test("files that are no longer open leave no descriptor behind", () =>
  inFolder(async (place) => {
    if (process.platform !== "linux") return;
    await writeFile(place, EVENTS);
    const open = () =>
      readdirSync("/proc/self/fd")
        .map((fd) => descriptorPath(fd))
        .filter((path) => path.startsWith(place.folder));
    for (let round = 0; round < 20; round++) {
      if (round % 4 === 0) writeFileSync(place.indexPath, "not an index");
      const files = createEventFiles();
      const file = await files.open(place.path, place.indexPath);
      const reading = Promise.all(QUERIES.map((query) => file.query(query)));
      for await (const _ of file.lines()) break;
      files.invalidate(place.path);
      await reading;
      files.close();
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(open()).toEqual([]);
  }));

function descriptorPath(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // The one of the listing itself is gone by now.
    return "";
  }
}

test("a flipped bit in the events is an error, never another answer", () =>
  inFolder(async (place) => {
    await writeFile(place, EVENTS);
    const bytes = readFileSync(place.path);
    for (const at of [4, 9, 1000, bytes.length >> 1]) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      writeFileSync(place.path, damaged);
      const files = createEventFiles();
      const read = async () => {
        const file = await files.open(place.path, place.indexPath);
        for await (const _ of file.lines());
      };
      await expect(read()).rejects.toBeInstanceOf(DamagedFileError);
      await expect(rebuildIndex(place.path, `${place.indexPath}.new`)).rejects.toBeInstanceOf(
        DamagedFileError,
      );
      files.close();
    }
  }));

test("a missing event file says so and is not remembered", () =>
  inFolder(async (place) => {
    const files = createEventFiles();
    await expect(files.open(place.path, place.indexPath)).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(place, EVENTS);
    expect((await files.open(place.path, place.indexPath)).info.count).toBe(EVENTS.length);
    files.close();
  }));

test("many files at once stay within the bound on open files", () =>
  inFolder(async (place) => {
    const files = createEventFiles({ maxOpen: 3 });
    const places = Array.from({ length: 10 }, (_, i) => ({
      path: `${place.path}${i}`,
      indexPath: `${place.indexPath}${i}`,
    }));
    await Promise.all(
      places.map((each, i) => writeFile({ ...place, ...each }, [eventLine({ seq: i, ts: i, kind: "a" })])),
    );
    const opened = await Promise.all(places.map((each) => files.open(each.path, each.indexPath)));
    for (let round = 0; round < 3; round++)
      for (const [i, file] of opened.entries())
        expect((await file.query({ offset: 0, limit: 1 })).lines).toEqual([
          `{"seq":${i},"ts":${i},"kind":"a"}`,
        ]);
    files.close();
  }));
