import { expect, test } from "bun:test";
import fc from "fast-check";
import { createIdIndex } from "../../viewer/trace/model/id-index.ts";
import { loadDeflate } from "../../viewer/trace/model/packed-texts.ts";
import {
  filterRows,
  placeOfSeq,
  type RowList,
  rowOfSeq,
  sortRows,
} from "../../viewer/trace/model/row-list.ts";
import { createTable } from "../../viewer/trace/model/table.ts";
import { equalHeights, ownHeights } from "../../viewer/ui/row-heights.ts";
import { revealed, rowsInView } from "../../viewer/ui/virtual.tsx";

interface Line {
  seq: number;
  ts: number;
  took: number | null;
  text: string;
  level: string;
  stepId: string | null;
  isCut: boolean;
  id: string;
  page?: string;
}

const line = fc.record(
  {
    seq: fc.nat(),
    ts: fc.double({ noNaN: true }),
    took: fc.option(fc.float({ noNaN: true })),
    text: fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ minLength: 600, maxLength: 900 })),
    level: fc.constantFrom("log", "error"),
    stepId: fc.option(fc.constantFrom("step 1", "step 2", "")),
    isCut: fc.boolean(),
    id: fc.string(),
    page: fc.string(),
  },
  { requiredKeys: ["seq", "ts", "took", "text", "level", "stepId", "isCut", "id"] },
) as fc.Arbitrary<Line>;

const createLines = () =>
  createTable<Line>(
    {
      seq: "near",
      ts: "near",
      took: "real",
      text: "text",
      level: "word",
      stepId: "text",
      isCut: "flag",
      id: "text",
      page: "word",
    },
    ["page"],
  );

/** The fields of a row, which are not its own. */
function fieldsOf({ seq, ts, took, text, level, stepId, isCut, id, page }: Line): Line {
  return { seq, ts, took, text, level, stepId, isCut, id, ...(page !== undefined && { page }) };
}

test("rows in columns say what was put into them, whatever it is and however many they are", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
      const table = createLines();
      for (const one of lines) table.add(one);
      expect(table.length).toBe(lines.length);
      expect(Array.from(table.list(), fieldsOf)).toEqual(lines);
    }),
    { numRuns: 60 },
  );
});

test("a row that is changed says the new values, its neighbours the old ones", () => {
  fc.assert(
    fc.property(line, line, line, (first, second, changed) => {
      const table = createLines();
      table.add(first);
      const row = table.add(second);
      table.add(first);
      row.text = changed.text;
      row.stepId = changed.stepId;
      row.took = changed.took;
      const { text, stepId, took } = changed;
      expect(Array.from(table.list(), fieldsOf)).toEqual([first, { ...second, text, stepId, took }, first]);
    }),
  );
});

test("a list that was handed out stays as it is while rows are added", () => {
  const table = createLines();
  const [one, other] = fc.sample(line, { numRuns: 2, seed: 1 });
  table.add(one!);
  const before = table.list();
  table.add(other!);
  expect(before.length).toBe(1);
  expect(table.list().length).toBe(2);
  expect(table.list()).not.toBe(before);
});

test("texts that lie packed are read and changed like any other", async () => {
  await loadDeflate();
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 300, max: 700 }),
      fc.array(fc.tuple(fc.nat(), line), { maxLength: 30 }),
      (some, count, changes) => {
        const lines = Array.from({ length: count }, (_, at) => some[at % some.length]!);
        const table = createLines();
        for (const one of lines) table.add(one);
        for (const [at, { text, stepId, ts }] of changes) {
          lines[at % count] = { ...lines[at % count]!, text, stepId, ts };
          Object.assign(table.row(at % count), { text, stepId, ts });
        }
        table.trim();
        expect(Array.from(table.list(), fieldsOf)).toEqual(lines);
        table.add(some[0]!);
        expect(fieldsOf(table.list().at(-1)!)).toEqual(some[0]!);
      },
    ),
    { numRuns: 4 },
  );
});

test("a text is the same whatever it holds: NUL, half a pair, a twenty thousand letters", async () => {
  await loadDeflate();
  const table = createTable<{ text: string | null }>({ text: "text" });
  const texts = ["a\0b", "\ud800", "", null, "ä".repeat(20_000), '"]', "\u2028"];
  for (let at = 0; at < 700; at += 1) table.add({ text: texts[at % texts.length]! });
  for (let at = 0; at < 700; at += 1) expect(table.row(at).text).toBe(texts[at % texts.length]!);
});

test("rows are left out, ordered and found without an object for each being kept", () => {
  const numbers = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 9 })));
  fc.assert(
    fc.property(numbers, fc.nat(9), fc.boolean(), (pairs, least, isFalling) => {
      const table = createTable<{ seq: number; value: number; after: number | null }>({
        seq: "near",
        value: "number",
        after: "behind",
      });
      let last = 0;
      const rows = pairs.map(([gap, value]) => {
        last += gap;
        return { seq: last, value, after: value > 4 ? last + value : null };
      });
      for (const row of rows) table.add(row);
      const seqs = (list: RowList<{ seq: number }>): number[] => Array.from(list, ({ seq }) => seq);
      const list = table.list();
      expect(Array.from(list, ({ seq, value, after }) => ({ seq, value, after }))).toEqual(rows);
      const kept = rows.filter(({ value }) => value >= least);
      expect(seqs(filterRows(list, ({ value }) => value >= least))).toEqual(seqs(kept));
      const sign = isFalling ? -1 : 1;
      expect(seqs(sortRows(list, ({ value }) => value, isFalling))).toEqual(
        seqs(rows.toSorted((a, b) => sign * (a.value - b.value))),
      );
      for (let seq = -1; seq <= last + 1; seq += 1) {
        expect(rowOfSeq(list, seq)?.seq).toBe(rows.find((row) => row.seq === seq)?.seq);
        expect(placeOfSeq(list, seq)).toBe(rows.findLastIndex((row) => row.seq <= seq));
      }
    }),
  );
});

test("an id is found by where it was put, also after many more", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 400 }), (ids) => {
      const index = createIdIndex((place) => ids[place]!);
      ids.forEach((id, place) => {
        expect(index.find(id)).toBe(-1);
        index.add(id, place);
      });
      expect(ids.map(index.find)).toEqual([...ids.keys()]);
    }),
    { numRuns: 40 },
  );
});

test("a list has the rows in view in the document, and none that it does not have", () => {
  fc.assert(
    fc.property(
      fc.nat(100_000),
      fc.integer({ min: 12, max: 40 }),
      fc.nat(4_000_000),
      fc.integer({ min: 1, max: 3000 }),
      (count, rowHeight, top, height) => {
        const [first, after] = rowsInView(equalHeights(count, rowHeight), top, height);
        const start = Math.min(top, Math.max(0, count * rowHeight - height));
        expect(first).toBeGreaterThanOrEqual(0);
        expect(after).toBeLessThanOrEqual(count);
        expect(after - first).toBeLessThanOrEqual(height / rowHeight + 20);
        for (const y of [start, start + height - 1]) {
          const row = Math.floor(y / rowHeight);
          if (row < count) expect(row >= first && row < after).toBe(true);
        }
      },
    ),
  );
});

test("a row is brought into view by the shortest way", () => {
  const rows = equalHeights(100, 20);
  expect(revealed(3, rows, 100, 200)).toBe(60);
  expect(revealed(5, rows, 100, 200)).toBe(100);
  expect(revealed(14, rows, 100, 200)).toBe(100);
  expect(revealed(15, rows, 100, 200)).toBe(120);
  expect(revealed(0, rows, 0, 10)).toBe(10);
});

test("rows of different heights are found where they lie", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), fc.nat(5000), (sizes, y) => {
      const rows = ownHeights(sizes.length, (row) => sizes[row]!);
      const row = rows.at(y);
      expect(rows.top(sizes.length)).toBe(sizes.reduce((sum, size) => sum + size, 0));
      expect(rows.top(row)).toBeLessThanOrEqual(y);
      if (row < sizes.length - 1) expect(rows.top(row + 1)).toBeGreaterThan(y);
    }),
  );
});
