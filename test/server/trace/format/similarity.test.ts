import { expect, test } from "bun:test";
import fc from "fast-check";
import { likenessTo, similarity } from "../../../../server/trace/format/similarity.ts";

/** The definition, part by part: as many as both have, of all that they have. */
function shared(a: string[], b: string[]): number {
  const left = [...b];
  const both = a.filter((one) => {
    const at = left.indexOf(one);
    return at >= 0 && left.splice(at, 1).length > 0;
  });
  return (2 * both.length) / (a.length + b.length);
}

function defined(one: string, other: string): number {
  const [a, b] = [one, other].map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  ) as [string, string];
  const pairs = (text: string) => (text.length === 1 ? [text] : cutInPairs(text));
  if (a === "" || b === "") return 0;
  if (a === b) return 1;
  return Math.max(shared(pairs(a), pairs(b)), 0.95 * shared(a.split(" "), b.split(" ")));
}

const cutInPairs = (text: string) =>
  Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2));

const name = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "A", " ", "-", "1", "é", "字", "😀"), maxLength: 24 }),
  fc.string({ unit: "binary", maxLength: 12 }),
);

test("names are alike by the pairs of letters and the words that they share, each counted once", () => {
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(similarity(one, other)).toBe(defined(one, other));
      expect(similarity(other, one)).toBe(similarity(one, other));
    }),
    { numRuns: 2000 },
  );
});

test("a name is asked about others in any order with the same answers", () => {
  const likeness = likenessTo("Add to cart");
  const asked = ["Add to basket", "add  to cart!", "cart", "", "Checkout"];
  const answers = asked.map(likeness);
  expect(asked.toReversed().map(likeness).toReversed()).toEqual(answers);
  expect(answers.map((one) => Number(one.toFixed(2)))).toEqual([0.63, 1, 0.47, 0, 0]);
});

test("a long name beside a long name takes milliseconds", () => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join(" ");
  const began = performance.now();
  expect(similarity(long("alpha"), long("beta"))).toBeLessThan(0.8);
  // Each pair looked for in the rest of the others takes minutes.
  expect(performance.now() - began).toBeLessThan(2_000);
});
