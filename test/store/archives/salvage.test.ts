import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveError } from "../../../store/archives/errors.ts";
import { openZip } from "../../../store/archives/zip.ts";
import { type Made, makeZip } from "./zip-maker.ts";

let folder: string;
let made = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-salvage-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function place(content: Uint8Array): string {
  const path = join(folder, `${++made}.zip`);
  writeFileSync(path, content);
  return path;
}

/** Members that look different to a reader: known sizes, descriptors with and without signature, stored, deflated. */
const MEMBERS: Made[] = [
  { name: "trace.trace", content: Buffer.from('{"line":1}\n'.repeat(300)), descriptor: true },
  { name: "a", content: Buffer.from("stored text with PK\u0007\u0008 in it"), method: 0, descriptor: true },
  { name: "b", content: Buffer.from("known size".repeat(20)) },
  { name: "c", content: Buffer.from("bare ".repeat(50)), descriptor: "bare" },
  { name: "d", content: makeZip([{ name: "inner", content: Buffer.from("a zip in a zip") }]), method: 0 },
  { name: "e", content: new Uint8Array(0), descriptor: true },
];
const whole = makeZip(MEMBERS);
const directoryAt = Buffer.from(whole).readUInt32LE(whole.length - 6);

/** Names of what can be read, with content checked; null when refused. */
async function salvaged(content: Uint8Array) {
  const archive = await openZip(place(content)).catch((error: unknown) => error);
  if (archive instanceof ArchiveError) return null;
  if (archive instanceof Error) throw archive;
  const opened = archive as Awaited<ReturnType<typeof openZip>>;
  try {
    for (const member of opened.members) {
      const original = MEMBERS.find(({ name }) => name === member.name)!;
      expect(Buffer.from(await opened.read(member)).equals(Buffer.from(original.content))).toBe(true);
    }
    let begun = "";
    if (opened.partial)
      for await (const piece of opened.stream(opened.partial)) begun += Buffer.from(piece).toString("latin1");
    return { ...opened, names: opened.members.map(({ name }) => name), begun };
  } finally {
    await opened.close();
  }
}

describe("salvage", () => {
  test("without its directory every member is found, and the loss is told", async () => {
    const found = await salvaged(whole.subarray(0, directoryAt));
    expect(found?.names).toEqual(MEMBERS.map(({ name }) => name));
    expect(found?.salvaged).toBe(true);
    expect(found?.lost).toContain("6 members were found");
  });

  test("cut anywhere, what came before the cut is there, in order and whole", async () => {
    let before = 0;
    for (let length = 1; length < whole.length; length += length < 400 ? 7 : 3) {
      const found = await salvaged(whole.subarray(0, length));
      const names = found?.names ?? [];
      expect(names).toEqual(MEMBERS.slice(0, names.length).map(({ name }) => name));
      expect(names.length).toBeGreaterThanOrEqual(before);
      before = names.length;
    }
    expect(before).toBe(MEMBERS.length);
  });

  test("of the member that was being written, the beginning is there", async () => {
    const { begun, names, partial, lost } = (await salvaged(whole.subarray(0, 60)))!;
    expect(names).toEqual([]);
    expect(partial?.name).toBe("trace.trace");
    expect(begun.startsWith('{"line":1}')).toBe(true);
    expect(lost).toContain('"trace.trace" ends early');
  });

  test("a hole in the middle costs only the member it lies in", async () => {
    const archive = await openZip(place(whole));
    const { offset, storedSize } = archive.get("b")!;
    await archive.close();
    const broken = whole.slice(0, directoryAt).fill(0, offset, offset + storedSize);
    const found = await salvaged(broken);
    expect(found?.names).toEqual(["trace.trace", "a", "c", "d", "e"]);
    expect(found?.lost).toContain('Damaged and left out: "b"');
  });

  test("names are held to the same rules", async () => {
    const evil = makeZip([{ name: "../evil", content: Buffer.from("x") }]);
    const error = await openZip(place(evil.subarray(0, evil.length - 30))).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArchiveError);
    expect((error as ArchiveError).message).toContain("leaves its folder");
  });

  test("caps hold for what is salvaged", async () => {
    const cut = place(whole.subarray(0, directoryAt));
    const kinds = await Promise.all(
      [{ maxMembers: 2 }, { maxUnpackedBytes: 100 }].map((caps) =>
        openZip(cut, caps).then(
          () => null,
          (error: unknown) => (error as ArchiveError).kind,
        ),
      ),
    );
    expect(kinds).toEqual(["bundle_bomb", "bundle_bomb"]);
  });

  test("the cap of unpacked bytes holds for the member that was being written, too", async () => {
    const lines = Buffer.alloc(4 << 20, '{"line":1}\n');
    const cut = makeZip([
      { name: "a.trace", content: Buffer.alloc(1000, "x"), method: 0 },
      { name: "trace.trace", content: lines },
    ]).subarray(0, -200);
    const opened = await openZip(place(cut), { maxUnpackedBytes: 8 << 20 });
    expect(opened.partial?.size).toBeGreaterThan(3 << 20);
    await opened.close();
    const error = await openZip(place(cut), { maxUnpackedBytes: 1 << 20 }).catch((thrown: unknown) => thrown);
    expect((error as ArchiveError).kind).toBe("bundle_bomb");
  });

  test("a real Playwright archive cut at every tenth gives its members or is refused in words", async () => {
    const path = join(import.meta.dir, "../../../fixtures/playwright/v10-runner-failing/trace.zip");
    const content = readFileSync(path);
    const complete = await openZip(path);
    const all = complete.members.map(({ name }) => name);
    await complete.close();
    let before = -1;
    for (let tenth = 1; tenth < 10; tenth++) {
      const archive = await openZip(place(content.subarray(0, Math.floor((content.length * tenth) / 10))));
      const names = archive.members.map(({ name }) => name);
      expect(all.slice(0, names.length)).toEqual(names);
      expect(names.length).toBeGreaterThanOrEqual(before);
      before = names.length;
      await archive.close();
    }
  });
});
