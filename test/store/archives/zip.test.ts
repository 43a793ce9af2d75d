import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { ArchiveError } from "../../../store/archives/errors.ts";
import type { ArchiveCaps } from "../../../store/archives/policy.ts";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import { type Made, makeZip } from "./zip-maker.ts";

let folder: string;
let made = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-zip-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const member = (name: string, text = name, more: Partial<Made> = {}): Made => ({
  name,
  content: bytes(text),
  ...more,
});

function place(content: Uint8Array): string {
  const path = join(folder, `${++made}.zip`);
  writeFileSync(path, content);
  return path;
}

async function withZip<T>(content: Uint8Array, use: (archive: ZipArchive) => Promise<T> | T): Promise<T> {
  const archive = await openZip(place(content));
  try {
    return await use(archive);
  } finally {
    await archive.close();
  }
}

async function refused(content: Uint8Array, caps: Partial<ArchiveCaps> = {}): Promise<ArchiveError> {
  const archive = await openZip(place(content), caps).catch((error: unknown) => error);
  expect(archive).toBeInstanceOf(ArchiveError);
  return archive as ArchiveError;
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("reading", () => {
  const large = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 2654435761) >>> 13);

  test("members come with their bytes, whole or in pieces, stored or deflated", async () => {
    const all = [
      member("a.txt", "alpha"),
      member("b/c.txt", "", {}),
      { name: "big", content: large, method: 0 },
    ];
    await withZip(makeZip([...all, { name: "big.z", content: large }]), async (archive) => {
      expect(archive.members.map(({ name, size, method }) => [name, size, method])).toEqual([
        ["a.txt", 5, 8],
        ["b/c.txt", 0, 8],
        ["big", large.length, 0],
        ["big.z", large.length, 8],
      ]);
      expect(archive.salvaged).toBe(false);
      for (const found of archive.members) {
        const whole = await archive.read(found);
        expect(Buffer.from(await collect(archive.stream(found))).equals(whole)).toBe(true);
        expect(whole.length).toBe(found.size);
      }
      expect(await archive.read(archive.get("big.z")!)).toEqual(Buffer.from(large));
    });
  });

  test("offset, stored size and method of a member are enough to read it from the file", async () => {
    const content = makeZip([
      member("a", "alpha".repeat(100)),
      member("b", "beta", { method: 0, descriptor: true }),
    ]);
    await withZip(content, ({ members: [a, b] }) => {
      const stored = content.subarray(a!.offset, a!.offset + a!.storedSize);
      expect(inflateRawSync(stored).toString()).toBe("alpha".repeat(100));
      expect(Buffer.from(content.subarray(b!.offset, b!.offset + b!.storedSize)).toString()).toBe("beta");
    });
  });

  test("folders are left out, and a resource that was written twice is there once", async () => {
    const content = makeZip([member("dir/", ""), member("dir/a", "same"), member("dir/a", "same")]);
    await withZip(content, ({ members }) => expect(members.map(({ name }) => name)).toEqual(["dir/a"]));
  });

  test("a stream that is given up half way closes quietly", async () => {
    await withZip(makeZip([{ name: "big", content: large }]), async (archive) => {
      const reader = archive.stream(archive.members[0]!).getReader();
      expect((await reader.read()).value?.length).toBeGreaterThan(0);
      await reader.cancel();
      expect(await archive.read(archive.members[0]!)).toHaveLength(large.length);
    });
  });

  test("what any writer wrote is read back", async () => {
    const content = fc.record({
      content: fc.uint8Array({ maxLength: 300 }),
      method: fc.constantFrom(0, 8),
      descriptor: fc.constantFrom(true, false),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { maxLength: 8 }),
        fc.string({ maxLength: 20, unit: "grapheme-ascii" }),
        async (contents, comment) => {
          const members = contents.map((one, index) => ({ ...one, name: `m${index}` }));
          await withZip(makeZip(members, { comment }), async (archive) => {
            expect(archive.members.map(({ name }) => name)).toEqual(members.map(({ name }) => name));
            for (const [index, found] of archive.members.entries())
              expect([...(await archive.read(found))]).toEqual([...members[index]!.content]);
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("refusals", () => {
  test.each([
    ["../evil", "leaves its folder"],
    ["a/../../evil", "leaves its folder"],
    ["a//b", "leaves its folder"],
    ["./a", "leaves its folder"],
    ["/etc/passwd", "absolute"],
    ["C:/windows", "absolute"],
    ["..\\evil", "backslash"],
    ["a\\b", "backslash"],
    ["a\u0000b", "control"],
    ["a\nb", "control"],
    [`${"x".repeat(2000)}`, "longer than"],
  ])("a member named %j is refused", async (name, words) => {
    const error = await refused(makeZip([member("ok"), member(name, "x")]));
    expect(error.kind).toBe("bundle_unreadable");
    expect(error.message).toContain(words);
    expect(error.message.length).toBeLessThan(400);
  });

  test.each([
    ["symbolic link", { mode: 0o120777 }],
    ["character device", { mode: 0o020666 }],
    ["pipe", { mode: 0o010666 }],
    ["encrypted", { flags: 0x1 }],
    ["encrypted", { flags: 0x40 }],
    ["method 12", { method: 12 }],
    ["cannot be", { declaredSize: 5_000_000 }],
    ["another name", { localName: "else" }],
  ] as [string, Partial<Made>][])("a member is refused: %s", async (words, how) => {
    const error = await refused(makeZip([member("fine"), member("evil", "content", how)]));
    expect(error.kind).toBe("bundle_unreadable");
    expect(error.message).toContain(words);
  });

  test("members that lie over each other are refused", async () => {
    const first = makeZip([member("a", "x".repeat(50), { method: 0 })]);
    const content = makeZip([member("a", "x".repeat(50), { method: 0 }), member("a2", "y", { offset: 0 })]);
    expect(first.length).toBeLessThan(content.length);
    expect((await refused(content)).message).toMatch(/overlaps|another name/);
  });

  test("two different members of one name are refused", async () => {
    expect((await refused(makeZip([member("a", "one"), member("a", "two")]))).message).toContain(
      "two different",
    );
  });

  test("what is no zip is refused in words", async () => {
    expect((await refused(bytes("plain text, nothing else"))).message).toContain("no zip archive");
    expect((await refused(new Uint8Array(0))).message).toContain("empty");
    expect((await refused(bytes("PK"))).kind).toBe("bundle_unreadable");
  });

  test("caps are bombs: members, unpacked bytes, depth", async () => {
    const three = makeZip([member("a"), member("b"), member("c")]);
    expect((await refused(three, { maxMembers: 2 })).kind).toBe("bundle_bomb");
    const zeros = makeZip([{ name: "zeros", content: new Uint8Array(1_000_000) }]);
    expect((await refused(zeros, { maxUnpackedBytes: 999_999 })).kind).toBe("bundle_bomb");
    const error = await refused(makeZip([member("1/2/3/4/5/6/7/8/9")]), { maxDepth: 8 });
    expect(error.kind).toBe("bundle_bomb");
    await openZip(place(makeZip([member("1/2/3/4/5/6/7/8")])), { maxDepth: 8 }).then((archive) =>
      archive.close(),
    );
  });

  test("a directory that claims a million members is refused before it is read", async () => {
    const error = await refused(makeZip([member("a")], { zip64Count: 1_000_000 }), { maxMembers: 200_000 });
    expect(error.kind).toBe("bundle_bomb");
    expect(error.message).toContain("1000000");
  });

  test("a member that unpacks to more, to less or to other bytes than declared is refused when read", async () => {
    const contents = [
      member("more", "x".repeat(500), { declaredSize: 100 }),
      member("less", "x".repeat(100), { declaredSize: 500 }),
      member("other", "x".repeat(100), { declaredCrc: 1 }),
      { name: "huge", content: new Uint8Array(4_000_000), declaredSize: 2_000_000 },
    ];
    await withZip(makeZip(contents), async (archive) => {
      for (const found of archive.members) {
        const whole = await archive.read(found).catch((error: unknown) => error);
        const piecewise = await collect(archive.stream(found)).catch((error: unknown) => error);
        for (const error of [whole, piecewise]) {
          expect(error).toBeInstanceOf(ArchiveError);
          expect((error as ArchiveError).kind).toBe("bundle_unreadable");
          expect((error as ArchiveError).message).toContain(found.name);
        }
      }
    });
  });

  test("random damage never does anything but refuse or read", async () => {
    const whole = makeZip([
      member("a", "alpha".repeat(40)),
      member("b", "beta"),
      member("c", "x", { descriptor: true }),
    ]);
    const change = fc.record({ at: fc.nat({ max: whole.length - 1 }), value: fc.nat({ max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
        const broken = whole.slice();
        for (const { at, value } of changes) broken[at] = value;
        try {
          await withZip(broken, async (archive) => {
            for (const found of archive.members) await archive.read(found);
          });
        } catch (error) {
          expect(error).toBeInstanceOf(ArchiveError);
        }
      }),
      { numRuns: 400 },
    );
  });
});
