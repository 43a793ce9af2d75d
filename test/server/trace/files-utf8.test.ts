import { expect, test } from "bun:test";
import fc from "fast-check";
import { asUtf8 } from "../../../server/trace/files/utf8.ts";

/** In pieces of these sizes, the last one to the end. */
const inPieces = (bytes: Uint8Array, sizes: number[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      let at = 0;
      for (const size of sizes) {
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      }
      controller.enqueue(bytes.slice(at));
      controller.close();
    },
  });
const passed = (bytes: Uint8Array, sizes: number[]) => new Response(asUtf8(inPieces(bytes, sizes))).bytes();
const sizes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 8 });

test("text with the mark of UTF-16 becomes UTF-8, in whatever pieces it comes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme" }),
      sizes,
      fc.boolean(),
      async (text, pieces, isSwapped) => {
        const marked = Buffer.from(`\ufeff${text}`, "utf16le");
        const bytes = isSwapped ? marked.swap16() : marked;
        expect(Buffer.from(await passed(bytes, pieces)).toString()).toBe(text);
      },
    ),
  );
});

test("all else passes byte for byte, also what is shorter than a mark", async () => {
  const isMarked = (bytes: Uint8Array) => /^(?:fffe|feff)/.test(Buffer.from(bytes).toString("hex"));
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), sizes, async (bytes, pieces) => {
      fc.pre(!isMarked(bytes));
      expect(await passed(bytes, pieces)).toEqual(bytes);
    }),
  );
  for (const short of [[], [0xff], [0xfe]])
    expect([...(await passed(Uint8Array.from(short), []))]).toEqual(short);
});
