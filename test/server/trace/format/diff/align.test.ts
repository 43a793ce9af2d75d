import { expect, test } from "bun:test";
import fc from "fast-check";
import { align, alignTwice, type Pair } from "../../../../../server/trace/format/diff/align.ts";

const keys = fc.array(fc.constantFrom(..."abcdef"), { maxLength: 40 });
const matched = (pairs: Pair[]) => pairs.filter(([a, b]) => a !== null && b !== null).length;

function longestCommon(a: string[], b: string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const key of a) {
    let diagonal = 0;
    for (let at = 1; at <= b.length; at++) {
      const above = row[at]!;
      row[at] = key === b[at - 1] ? diagonal + 1 : Math.max(above, row[at - 1]!);
      diagonal = above;
    }
  }
  return row[b.length]!;
}

test("every entry of both sides stands exactly once, in order, equal ones together, as many as can be", () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const pairs = align(a, b);
      expect(pairs.flatMap(([one]) => (one === null ? [] : [one]))).toEqual([...a.keys()]);
      expect(pairs.flatMap(([, other]) => (other === null ? [] : [other]))).toEqual([...b.keys()]);
      for (const [one, other] of pairs) if (one !== null && other !== null) expect(a[one]).toBe(b[other]!);
      expect(matched(pairs)).toBe(longestCommon(a, b));
    }),
  );
});

test("swapping the sequences swaps the pairs", () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const one = align(a, b).map(([left, right]) => `${left} ${right}`);
      const other = align(b, a).map(([left, right]) => `${right} ${left}`);
      expect(other.sort()).toEqual(one.sort());
    }),
  );
});

test("what stays alone in a gap is paired by its weaker key", () => {
  const a = { strong: ["go", "click add", "pay"], weak: ["go", "click", "pay"] };
  const b = { strong: ["go", "click put", "pay"], weak: ["go", "click", "pay"] };
  expect(alignTwice(a, b)).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
});

test("sequences too different for the shortest script are aligned by what is unique in both", () => {
  const long = (mark: string) =>
    Array.from({ length: 4_000 }, (_, at) => (at % 40 === 0 ? `shared ${at}` : `${mark} ${at % 7} ${at}`));
  expect(matched(align(long("a"), long("b")))).toBe(100);
});
