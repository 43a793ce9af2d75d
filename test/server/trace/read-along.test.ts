import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createReadAlong } from "../../../server/trace/ingest/read-along.ts";
import { readAlong } from "../../../server/trace/ingest/read-along-task.ts";
import { ingestFile } from "../../../server/trace/ingest/service.ts";
import { hashMembers, isResource } from "../../../server/trace/process/archive-hashes.ts";
import { openZip } from "../../../store/archives/zip.ts";
import { testApp } from "../../helpers/app.ts";
import { uploadForm } from "../../helpers/bundles.ts";
import { runTaskHere } from "../../helpers/task-here.ts";
import { type Made, makeZip } from "../../store/archives/zip-maker.ts";

const FIXTURES = join(import.meta.dir, "../../../fixtures");
const archives = [...new Bun.Glob("**/*.zip").scanSync(FIXTURES)].sort().map((name) => join(FIXTURES, name));

let folder: string;
let made = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-along-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newPath = () => join(folder, `${++made}.zip`);

/** Writes a file in pieces that end at `cuts`, and has each read as soon as it is there. */
async function readInPieces(path: string, content: Uint8Array, cuts: readonly number[]) {
  const known = new Map<string, string>();
  writeFileSync(path, "");
  let written = 0;
  let at: number | null = 0;
  for (const end of [...cuts, content.length].sort((a, b) => a - b)) {
    appendFileSync(path, content.subarray(written, end));
    written = end;
    if (at === null) continue;
    const piece = await readAlong({ path, at, end, texts: null, seed: "" });
    for (const [place, hash] of piece.hashes) known.set(place, hash);
    at = piece.next;
  }
  return known;
}

/** What the archive is read as; how it is refused when it is. */
async function readWhole(path: string, known?: ReadonlyMap<string, string>) {
  try {
    const archive = await openZip(path);
    try {
      const hashes = await hashMembers(archive, isResource, () => {}, known);
      return archive.members.map(({ name }) => {
        const hash = hashes.of(name);
        return { name, hash, place: hash && hashes.locate(hash), isDamaged: hashes.damaged.includes(name) };
      });
    } finally {
      await archive.close();
    }
  } catch (error) {
    return String(error);
  }
}

/** Members that look different to a reader, with content that misleads one that goes by signatures. */
const ODD: Made[] = [
  { name: "trace.trace", content: Buffer.from('{"line":1}\n'.repeat(300)), descriptor: true },
  { name: "a", content: Buffer.from("stored text with PK\u0007\u0008 in it"), method: 0, descriptor: true },
  { name: "b", content: Buffer.from("known size".repeat(20)) },
  { name: "c", content: Buffer.from("bare ".repeat(50)), descriptor: "bare" },
  { name: "d", content: makeZip([{ name: "a", content: Buffer.from("a zip in a zip") }]), method: 0 },
  { name: "e", content: new Uint8Array(0), descriptor: true },
  { name: "f", content: Buffer.from("not what it says"), declaredCrc: 7 },
  { name: "g", content: crypto.getRandomValues(new Uint8Array(2000)), method: 0, descriptor: true },
];

describe("an archive that is read while it comes in", () => {
  test("gives what reading it whole gives, however it was cut, chunked and damaged on the way", async () => {
    const contents = [...archives.map((path) => new Uint8Array(readFileSync(path))), makeZip(ODD)];
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...contents),
        fc.array(share, { maxLength: 6 }),
        fc.option(share),
        fc.array(fc.tuple(share, fc.integer({ min: 0, max: 255 })), { maxLength: 2 }),
        async (original, cuts, end, damage) => {
          const content = original.slice(0, Math.ceil(original.length * (end ?? 1)));
          for (const [where, byte] of damage) content[Math.floor(content.length * where)] = byte;
          const path = newPath();
          const ends = cuts.map((cut) => Math.floor(content.length * cut));
          const known = await readInPieces(path, content, ends);
          expect(await readWhole(path, known)).toEqual(await readWhole(path));
          rmSync(path);
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each(archives.map((path) => [path.slice(FIXTURES.length + 1), path]))(
    "has all of its resources hashed before its end is there: %s",
    async (_name, original) => {
      const content = new Uint8Array(readFileSync(original));
      const path = newPath();
      const known = await readInPieces(path, content, [content.length >> 1, content.length - 30]);
      const read = await readWhole(path, known);
      const resources = typeof read === "string" ? [] : read.filter(({ name }) => isResource(name));
      expect(resources.every(({ hash }) => hash === null || [...known.values()].includes(hash))).toBe(true);
    },
  );

  test("is not hashed by a name or a header of its own that the directory does not share", async () => {
    const path = newPath();
    const content = makeZip([
      { name: "trace.trace", content: Buffer.from("{}\n") },
      { name: "resources/a", content: Buffer.from("one"), localName: "resources/b", method: 0 },
      { name: "resources/a", content: Buffer.from("two"), declaredSize: 2, method: 0 },
    ]);
    const known = await readInPieces(path, content, [40, 80, 120]);
    expect(await readWhole(path, known)).toEqual(await readWhole(path));
  });

  test("is left to post-processing where it unpacks to very much more than it brings", async () => {
    const content = makeZip([
      { name: "trace.trace", content: Buffer.from("{}\n") },
      { name: "resources/bomb", content: new Uint8Array(1 << 20) },
      { name: "resources/plain", content: Buffer.from("plain") },
    ]);
    expect((await readInPieces(newPath(), content, [])).size).toBe(1);
  });

  test("is read a piece at a time, and what is under way is waited for", async () => {
    const resources = Array.from({ length: 24 }, (_, at) => ({
      name: `resources/${at}`,
      content: crypto.getRandomValues(new Uint8Array(500_000)),
      method: 0,
    }));
    const content = makeZip([{ name: "trace.trace", content: Buffer.from("{}\n") }, ...resources]);
    const path = newPath();
    let running = 0;
    let most = 0;
    const run = async <Result>(name: string, input: unknown) => {
      most = Math.max(most, ++running);
      return runTaskHere<Result>(name, input).finally(() => running--);
    };
    const along = createReadAlong({ tasks: { run }, ids: { uuid: () => crypto.randomUUID() } }, path);
    writeFileSync(path, content);
    for (let end = 1_000_000; end < content.length; end += 1_000_000) along.written(end);
    expect((await along.finish()).hashes.size).toBeGreaterThan(6);
    expect([most, running]).toEqual([1, 0]);
    along.written(content.length);
    expect(running).toBe(0);
  });

  test("that is none, or is gone, costs nothing", async () => {
    const path = newPath();
    writeFileSync(path, new Uint8Array(9_000_000));
    const nothing = { hashes: new Map(), texts: [], begun: null, next: null };
    expect(await readAlong({ path, at: 0, end: 9_000_000, texts: [], seed: "" })).toEqual(nothing);
    const along = createReadAlong(
      { tasks: { run: runTaskHere }, ids: { uuid: () => crypto.randomUUID() } },
      join(folder, "nowhere"),
    );
    along.written(9_000_000);
    expect((await along.finish()).hashes.size).toBe(0);
  });

  test("becomes the trace that the same file becomes without", async () => {
    const recorded = join(FIXTURES, "playwright/v10-failing/trace.zip");
    const zip = await openZip(recorded);
    const members: Made[] = [];
    for (const member of zip.members)
      members.push({ name: member.name, content: await zip.read(member), descriptor: true });
    await zip.close();
    const ballast = { name: "resources/ballast", content: crypto.getRandomValues(new Uint8Array(9_000_000)) };
    const path = newPath();
    writeFileSync(path, makeZip([...members, ballast]));

    const app = await testApp();
    try {
      const body = uploadForm(readFileSync(path));
      const answer = await app.api("/v1/traces/ingest", { method: "POST", body });
      const { trace_id: uploaded } = (await answer.json()) as { trace_id: string };
      const { readAheads } = app.deps.traceState;
      const known = readAheads.take(uploaded);
      expect(known.hashes.size).toBeGreaterThan(5);
      expect(known.begun).not.toBeNull();
      readAheads.keep(uploaded, known);
      const actor = {
        type: "api_key" as const,
        id: "cli",
        orgId: app.orgId,
        userId: null,
        role: null,
        scopes: new Set<never>(),
        ip: null,
      };
      const { trace_id: taken } = await ingestFile(app.deps, actor, { path, scenarioSlug: "checkout" });
      expect(readAheads.take(taken).hashes.size).toBe(0);
      await app.runJobs();

      const told = async (id: string) => {
        const lines = await (await app.api(`/v1/traces/${id}/events?limit=1000`)).text();
        const blobs = await app.store.records
          .selectFrom("trace_blobs")
          .select(["hash", "media_type"])
          .where("trace_id", "=", id)
          .orderBy("hash")
          .execute();
        return { lines, blobs };
      };
      const first = await told(uploaded);
      expect(first.blobs.length).toBeGreaterThan(5);
      expect(first).toEqual(await told(taken));
      expect(readAheads.take(uploaded).hashes.size).toBe(0);
    } finally {
      await app.close();
    }
  });
});
