import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { BlobDamagedError, type ByteLocation } from "../../../store/blobs/blobs.ts";
import { createLocalBlobFiles } from "../../../store/blobs/local.ts";
import { layout } from "../../../store/layout.ts";

let folder: string;
let blobs: ReturnType<typeof createLocalBlobFiles>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-blobs-"));
  blobs = createLocalBlobFiles(layout(folder));
});
afterEach(() => rmSync(folder, { recursive: true }));

function stage(content: string | Uint8Array) {
  const path = join(folder, "staged");
  writeFileSync(path, content);
  return { path, hash: new Bun.CryptoHasher("sha256").update(content).digest("hex") };
}

function inFile(content: Uint8Array, method: 0 | 8): ByteLocation {
  const stored = method === 8 ? deflateRawSync(content) : content;
  const path = join(folder, "archive");
  writeFileSync(path, Buffer.concat([Buffer.from("before"), stored, Buffer.from("after")]));
  return { path, offset: 6, storedSize: stored.length, size: content.length, method };
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("an adopted file lies under the first two bytes of its hash and leaves the staging place", async () => {
  const { path, hash } = stage("hello");
  await blobs.adopt(path, hash);
  expect(existsSync(path)).toBe(false);
  expect(blobs.loosePath(hash)).toBe(
    join(folder, "blobs", "sha256", hash.slice(0, 2), hash.slice(2, 4), hash),
  );
  expect(readFileSync(blobs.loosePath(hash), "utf8")).toBe("hello");
  expect(await blobs.exists(hash)).toBe(true);
});

test("adopting a blob that is there keeps the one that is there and drops the staged file", async () => {
  const first = stage("same");
  await blobs.adopt(first.path, first.hash);
  const second = stage("same");
  await blobs.adopt(second.path, second.hash);
  expect(existsSync(second.path)).toBe(false);
  expect(readFileSync(blobs.loosePath(first.hash), "utf8")).toBe("same");
});

test("a damaged file of another size gives way to the good bytes", async () => {
  const first = stage("whole");
  await blobs.adopt(first.path, first.hash);
  truncateSync(blobs.loosePath(first.hash), 2);
  const second = stage("whole");
  await blobs.adopt(second.path, second.hash);
  expect(readFileSync(blobs.loosePath(first.hash), "utf8")).toBe("whole");
});

test("removing a missing blob is fine, and a held one stays until every holder lets go", async () => {
  const { path, hash } = stage("kept");
  expect(await blobs.remove(hash)).toBe(true);
  await blobs.adopt(path, hash);
  const letGo = blobs.hold([hash, hash]);
  const letGoAgain = blobs.hold([hash]);
  expect(await blobs.remove(hash)).toBe(false);
  letGo();
  letGo();
  expect(await blobs.remove(hash)).toBe(false);
  letGoAgain();
  expect(await blobs.remove(hash)).toBe(true);
  expect(await blobs.exists(hash)).toBe(false);
});

test("any range of stored and deflated content streams exactly those bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 5000 }),
      fc.constantFrom(0 as const, 8 as const),
      fc.nat(5000),
      fc.nat(5000),
      async (content, method, a, b) => {
        const location = inFile(content, method);
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        expect(await collect(blobs.stream(location, { start, end }))).toEqual(
          Buffer.from(content.slice(start, end)),
        );
        expect(Buffer.from(await blobs.read(location))).toEqual(Buffer.from(content));
      },
    ),
    { numRuns: 100 },
  );
});

test("large content streams in pieces and a reader that leaves early closes the file", async () => {
  const content = new Uint8Array(3_000_000).map((_, at) => (at * at) % 251);
  for (const method of [0, 8] as const) {
    const location = inFile(content, method);
    const digest = new Bun.CryptoHasher("sha256");
    let pieces = 0;
    for await (const chunk of blobs.stream(location)) {
      digest.update(chunk);
      pieces++;
    }
    expect(pieces).toBeGreaterThan(3);
    expect(digest.digest("hex")).toBe(new Bun.CryptoHasher("sha256").update(content).digest("hex"));
    const reader = blobs.stream(location).getReader();
    expect((await reader.read()).value!.length).toBeGreaterThan(0);
    await reader.cancel();
  }
});

test("missing, short and undecodable bytes are a damaged blob that names its file", async () => {
  const content = new Uint8Array(2000).fill(7);
  const cases = [
    () => ({ ...inFile(content, 0), path: join(folder, "nowhere") }),
    () => {
      const location = inFile(content, 0);
      truncateSync(location.path, 100);
      return location;
    },
    () => {
      const location = inFile(content, 8);
      truncateSync(location.path, 8);
      return location;
    },
    () => ({ ...inFile(content, 0), method: 8 as const }),
    () => {
      const location = inFile(content, 8);
      return { ...location, size: location.size + 1 };
    },
  ];
  for (const make of cases) {
    const location = make();
    await expect(blobs.read(location)).rejects.toThrow(BlobDamagedError);
    await expect(collect(blobs.stream(location))).rejects.toThrow(location.path);
  }
});
