import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readTar } from "../../../server/trace/ingest/tar.ts";
import { ArchiveError } from "../../../store/archives/errors.ts";
import { pax, type TarEntry, tar, tarMember } from "../../helpers/bundles.ts";

const CAPS = { maxMembers: 1000, maxDepth: 8 };

/** A chunk is gone as soon as the next one is asked for. */
async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    yield chunk;
    chunk.fill(0);
  }
}

async function read(bytes: Uint8Array, chunk = 700): Promise<Record<string, string>> {
  const members: Record<string, string> = {};
  for await (const member of readTar(inChunks(bytes, chunk), CAPS)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of member.bytes()) pieces.push(Buffer.from(piece));
    if (member.type === "file") members[member.name] = Buffer.concat(pieces).toString();
  }
  return members;
}

async function refusal(entries: TarEntry[]): Promise<ArchiveError> {
  const error = await read(tar(entries)).catch((caught) => caught);
  expect(error).toBeInstanceOf(ArchiveError);
  return error as ArchiveError;
}

test("members of any size come out whole, however the stream is cut into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 2000 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 3000 }),
      async (contents, chunk) => {
        const entries = contents.map((content, at) => ({ name: `m${at}`, content }));
        expect(await read(tar(entries), chunk)).toEqual(
          Object.fromEntries(entries.map(({ name, content }) => [name, Buffer.from(content).toString()])),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("an extended header that ends where a chunk ends is read", async () => {
  const header = tar([pax({ path: "long", comment: "c".repeat(600) }), { name: "short", content: "x" }]);
  for (let chunk = 512; chunk < 1400; chunk++) expect(await read(header, chunk)).toEqual({ long: "x" });
});

test("a reader that leaves a member early, or never reads it, still gets the next ones whole", async () => {
  const names: string[] = [];
  const archive = tar([
    { name: "a", content: "x".repeat(3000) },
    { name: "b", content: "y".repeat(2000) },
    { name: "c", content: "end" },
  ]);
  for await (const member of readTar(inChunks(archive, 100), CAPS)) {
    names.push(member.name);
    if (member.name === "a") for await (const _ of member.bytes()) break;
    if (member.name === "c") for await (const piece of member.bytes()) names.push(String(Buffer.from(piece)));
  }
  expect(names).toEqual(["a", "b", "c", "end"]);
});

test("archives of the system's tar in every format are read, folders and leading ./ included", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-tar-"));
  try {
    const long = `blobs/${"long-".repeat(30)}name`;
    mkdirSync(join(folder, "in", "blobs"), { recursive: true });
    writeFileSync(join(folder, "in", "manifest.json"), "{}");
    writeFileSync(join(folder, "in", long), "long one");
    for (const format of ["ustar", "pax", "gnu"]) {
      const content = format === "ustar" ? ["./manifest.json", "./blobs/"] : ["."];
      const args = ["--format", format, "-C", join(folder, "in"), "-cf", "-", ...content];
      const made = spawnSync("tar", format === "ustar" ? [...args.slice(0, 6), "./manifest.json"] : args);
      expect(made.status).toBe(0);
      const members = await read(made.stdout);
      expect(members["manifest.json"]).toBe("{}");
      if (format !== "ustar") expect(members[long]).toBe("long one");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a pax path and size win over the header's", async () => {
  const members = await read(
    tar([
      pax({ path: "blobs/named-by-pax", size: "5", mtime: "1.5" }),
      { name: "short", content: "12345", size: 5 },
    ]),
  );
  expect(members).toEqual({ "blobs/named-by-pax": "12345" });
});

test("the prefix of an ustar header stands before the name", async () => {
  expect(await read(tar([{ name: "name", prefix: "folder", content: "x" }]))).toEqual({ "folder/name": "x" });
});

test("links, devices, pipes and unknown types are refused by name", async () => {
  const types = ["1", "2", "3", "4", "6", "S", "V"];
  for (const type of types) {
    const error = await refusal([{ name: "blobs/bad", type, link: "/etc/passwd" }]);
    expect(error.kind).toBe("bundle_unreadable");
    expect(error.message).toContain("blobs/bad");
  }
});

test("names that leave the folder, are absolute or hold control characters are refused", async () => {
  for (const name of ["../x", "a/../../x", "/etc/passwd", "C:/x", "a\\..\\x", "a//b", "bell\x07", "a/./b"]) {
    const error = await refusal([{ name, content: "x" }]);
    expect([name, error.kind]).toEqual([name, "bundle_unreadable"]);
  }
  const nul = await refusal([pax({ path: "blobs/a\0b" }), { name: "x", content: "x" }]);
  expect(nul.kind).toBe("bundle_unreadable");
  const linked = await refusal([pax({ linkpath: "/etc/passwd" }), { name: "x", type: "2" }]);
  expect(linked.kind).toBe("bundle_unreadable");
});

test("a path of more than 8 parts and one member too many are bombs", async () => {
  expect((await refusal([{ name: "a/b/c/d/e/f/g/h/i" }])).kind).toBe("bundle_bomb");
  expect(await read(tar([{ name: "a/b/c/d/e/f/g/h" }]))).toEqual({ "a/b/c/d/e/f/g/h": "" });
  const many = Array.from({ length: CAPS.maxMembers + 1 }, (_, at) => ({ name: `m${at}` }));
  expect((await refusal(many)).kind).toBe("bundle_bomb");
});

test("two members of one name are refused, also when one is spelled with ./", async () => {
  expect((await refusal([{ name: "a" }, { name: "./a" }])).message).toContain("two members");
});

test("sizes that lie are refused", async () => {
  const huge = 0o77777777777;
  expect((await refusal([{ name: "a", content: "short", size: huge }])).message).toContain("ends early");
  expect((await refusal([{ name: "folder/", type: "5", size: 10 }])).kind).toBe("bundle_unreadable");
  expect((await refusal([pax({ size: "1e3" }), { name: "a", content: "x" }])).message).toContain("size");
  const negative = tarMember({ name: "a" });
  negative.write("-0000000001\0", 124);
  await expect(read(Buffer.concat([negative, Buffer.alloc(1024)]))).rejects.toThrow("tar header");
});

test("an archive that ends anywhere before its closing blocks is refused", async () => {
  const archive = tar([
    { name: "a", content: "x".repeat(600) },
    pax({ path: "pp" }),
    { name: "b", content: "y" },
  ]);
  for (let length = 0; length <= archive.length - 1024; length += 37) {
    const error = await read(archive.subarray(0, length)).catch((caught) => caught);
    expect([length, error instanceof ArchiveError && error.kind]).toEqual([length, "bundle_unreadable"]);
  }
});

test("flipped bytes give a clear refusal or an archive, never another error", async () => {
  const archive = tar([
    { name: "manifest.json", content: "{}" },
    pax({ path: "events.ndjson", size: "700" }),
    { name: "e", content: "x".repeat(700) },
    { name: "folder/", type: "5" },
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(archive.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      async (flips) => {
        const damaged = Buffer.from(archive);
        for (const [at, value] of flips) damaged[at] = value;
        const result = await read(damaged).catch((caught) => caught);
        if (result instanceof Error) expect(result).toBeInstanceOf(ArchiveError);
      },
    ),
    { numRuns: 400 },
  );
});
