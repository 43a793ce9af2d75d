import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { BlobDamagedError, type ByteLocation, type Files } from "../../../store/files/files.ts";
import { createLocalFiles } from "../../../store/files/local.ts";

const KEY = "traces/t/archive.zip";

let folder: string;
let files: Files;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-files-"));
  files = createLocalFiles({ root: folder, coldDir: join(folder, "cold") });
});
afterEach(() => rmSync(folder, { recursive: true }));

function inFile(content: Uint8Array, method: 0 | 8): ByteLocation {
  const stored = method === 8 ? deflateRawSync(content) : content;
  mkdirSync(join(folder, "traces", "t"), { recursive: true });
  const path = join(folder, KEY);
  writeFileSync(path, Buffer.concat([Buffer.from("before"), stored, Buffer.from("after")]));
  return { key: KEY, offset: 6, storedSize: stored.length, size: content.length, method };
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

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
        expect(await collect(files.stream(location, { start, end }))).toEqual(
          Buffer.from(content.slice(start, end)),
        );
        expect(Buffer.from(await files.read(location))).toEqual(Buffer.from(content));
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
    for await (const chunk of files.stream(location)) {
      digest.update(chunk);
      pieces++;
    }
    expect(pieces).toBeGreaterThan(3);
    expect(digest.digest("hex")).toBe(new Bun.CryptoHasher("sha256").update(content).digest("hex"));
    const reader = files.stream(location).getReader();
    expect((await reader.read()).value!.length).toBeGreaterThan(0);
    await reader.cancel();
  }
});

test("missing, short and undecodable bytes are a damaged blob that names its file", async () => {
  const content = new Uint8Array(2000).fill(7);
  const cases = [
    () => ({ ...inFile(content, 0), key: "traces/t/nowhere" }),
    () => {
      const location = inFile(content, 0);
      truncateSync(join(folder, KEY), 100);
      return location;
    },
    () => {
      const location = inFile(content, 8);
      truncateSync(join(folder, KEY), 8);
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
    await expect(files.read(location)).rejects.toThrow(BlobDamagedError);
    await expect(collect(files.stream(location))).rejects.toThrow(join(folder, location.key));
  }
});

test("what follows the end of a deflated content is not read into memory, however much of it is declared", async () => {
  const content = Buffer.alloc(1000, "body ");
  const location = inFile(content, 8);
  truncateSync(join(folder, KEY), 400_000_000);
  const padded = { ...location, storedSize: 399_000_000 };
  expect(Buffer.from(await files.read(location))).toEqual(content);
  Bun.gc(true);
  const before = process.resourceUsage().maxRSS;
  expect(Buffer.from(await files.read(padded))).toEqual(content);
  // Kilobytes.
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(100_000);
});
