import { expect, test } from "bun:test";
import fc from "fast-check";
import { createTable } from "../../viewer/trace/model/table.ts";
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
      seq: "count",
      ts: "number",
      took: "real",
      text: "text",
      level: "word",
      stepId: "text",
      isCut: "flag",
      id: "id",
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
      expect(table.list().map(fieldsOf)).toEqual(lines);
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
      expect(table.list().map(fieldsOf)).toEqual([first, { ...second, text, stepId, took }, first]);
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

test("a text longer than a table keeps is cut, not mixed with the next", () => {
  const table = createLines();
  const [one] = fc.sample(line, { numRuns: 1, seed: 1 });
  const long = "ä".repeat(40_000);
  table.add({ ...one!, text: long });
  table.add({ ...one!, text: "short" });
  const [first, second] = table.list();
  expect(long.startsWith(first!.text)).toBe(true);
  expect(first!.text.length).toBeGreaterThan(16_000);
  expect(second!.text).toBe("short");
});

test("a list has the rows in view in the document, and none that it does not have", () => {
  fc.assert(
    fc.property(
      fc.nat(100_000),
      fc.integer({ min: 12, max: 40 }),
      fc.nat(4_000_000),
      fc.integer({ min: 1, max: 3000 }),
      (count, rowHeight, top, height) => {
        const [first, after] = rowsInView(count, rowHeight, top, height);
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
  expect(revealed(3, 20, 100, 200)).toBe(60);
  expect(revealed(5, 20, 100, 200)).toBe(100);
  expect(revealed(14, 20, 100, 200)).toBe(100);
  expect(revealed(15, 20, 100, 200)).toBe(120);
  expect(revealed(0, 20, 0, 10)).toBe(10);
});
