import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { extract } from "tar-stream";
import { type TarFile, writeTar } from "../../../store/archives/tar-writer.ts";

async function* each(files: TarFile[]) {
  yield* files;
}

async function written(files: TarFile[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeTar(each(files))));
}

describe("writing tar files", () => {
  test("another program's reader finds the same files", async () => {
    const contents = fc.array(
      fc.record({
        name: fc.stringMatching(/^[a-z][a-z0-9/._-]{0,60}[a-z]$/),
        bytes: fc.uint8Array({ maxLength: 1500 }),
      }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(contents, async (all) => {
        const reader = extract();
        reader.end(
          await written(all.map(({ name, bytes }) => ({ name, size: bytes.length, bytes: () => [bytes] }))),
        );
        const found: { name: string; bytes: Uint8Array }[] = [];
        for await (const entry of reader) {
          const chunks = await Array.fromAsync(entry as AsyncIterable<Uint8Array>);
          found.push({ name: entry.header.name, bytes: new Uint8Array(Buffer.concat(chunks)) });
        }
        expect(found).toEqual(all.map(({ name, bytes }) => ({ name, bytes: new Uint8Array(bytes) })));
      }),
      { numRuns: 60 },
    );
  });

  test("a size past what the header holds is told by a pax record", async () => {
    const size = 9 * 1024 ** 3;
    const blocks = writeTar(each([{ name: "large", size, bytes: () => [] }]));
    const record = (await blocks.next()).value as Uint8Array;
    const text = Buffer.from(record).toString("latin1");
    expect(text.slice(512, 512 + 19)).toBe("19 size=9663676416\n");
    expect(text.slice(156, 157)).toBe("x");
  });

  test("a name past what the header holds, modes and times are found by another program's reader", async () => {
    const name = `${"ä/".repeat(60)}end`;
    const files = each([{ name, size: 2, bytes: () => [Buffer.from("ok")] }]);
    const reader = extract();
    reader.end(Buffer.concat(await Array.fromAsync(writeTar(files, { mode: 0o600, mtime: 1_700_000_000 }))));
    for await (const entry of reader) {
      expect(entry.header).toMatchObject({ name, size: 2, mode: 0o600, mtime: new Date(1_700_000_000_000) });
      expect(Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Uint8Array>)).toString()).toBe("ok");
    }
  });

  test("a file with other than the announced bytes is an error", async () => {
    expect(written([{ name: "a", size: 2, bytes: () => [new Uint8Array(1)] }])).rejects.toThrow(
      '"a" has 1 bytes',
    );
  });
});
