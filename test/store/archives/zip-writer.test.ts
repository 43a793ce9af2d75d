import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openZip } from "../../../store/archives/zip.ts";
import { createZipPieces } from "../../../store/archives/zip-pieces.ts";
import { MemberMismatchError, type NewMember, writeZip } from "../../../store/archives/zip-writer.ts";

setDefaultTimeout(120_000);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-zip-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const member = (name: string, bytes: Uint8Array): NewMember => ({
  name,
  size: bytes.length,
  sha256: sha256(bytes),
  bytes: () => bytes,
});

function inPieces(all: { name: string; bytes: Uint8Array }[]): Uint8Array {
  const zip = createZipPieces();
  const pieces = all.flatMap(({ name, bytes }) => zip.member(name, bytes));
  return new Uint8Array(Buffer.concat([...pieces, zip.end()]));
}

describe("writing zip files", () => {
  test("what is written is read back, lies where it is said to lie, and is the same in pieces", async () => {
    const contents = fc.uniqueArray(
      fc.record({
        name: fc.stringMatching(/^[a-zé][a-z0-9/]{0,20}[a-z]$/),
        bytes: fc.uint8Array({ maxLength: 300 }),
      }),
      { selector: ({ name }) => name.toLowerCase(), maxLength: 12 },
    );
    const path = join(folder, "any.zip");
    await fc.assert(
      fc.asyncProperty(
        contents.filter((all) => all.every(({ name }) => !name.includes("//"))),
        async (all) => {
          const written = await writeZip(
            path,
            all.map(({ name, bytes }) => member(name, bytes)),
          );
          const file = await Bun.file(path).bytes();
          expect([written.size, written.sha256]).toEqual([file.length, sha256(file)]);
          expect(inPieces(all)).toEqual(file);
          for (const [index, { offset, size }] of written.members.entries())
            expect(file.slice(offset, offset + size)).toEqual(all[index]!.bytes);
          if (all.length === 0) return;
          const zip = await openZip(path);
          expect(zip.salvaged).toBe(false);
          expect(zip.members.map(({ name }) => name)).toEqual(all.map(({ name }) => name));
          for (const { name, bytes } of all) expect(await zip.read(zip.get(name)!)).toEqual(bytes);
          await zip.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  test("more members than a plain directory counts are all there", async () => {
    const path = join(folder, "many.zip");
    const count = 66_000;
    const bytes = new Uint8Array([1]);
    await writeZip(
      path,
      Array.from({ length: count }, (_, index) => member(`m${index}`, bytes)),
    );
    const zip = await openZip(path);
    expect(zip.members.length).toBe(count);
    expect(await zip.read(zip.get(`m${count - 1}`)!)).toEqual(bytes);
    await zip.close();
  });

  test.each([
    ["other bytes", { sha256: sha256(new Uint8Array([2])) }],
    ["fewer bytes", { size: 2 }],
  ])("a member with %s than announced is refused", async (_, lie) => {
    const honest = member("a", new Uint8Array([1]));
    expect(writeZip(join(folder, "bad.zip"), [{ ...honest, ...lie }])).rejects.toThrow(MemberMismatchError);
  });
});
