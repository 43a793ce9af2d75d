import { expect, test } from "bun:test";
import { fromTable, toTable } from "../../viewer/api/table.ts";

test("a table gives back the objects that it was made of, whatever fields some of them lack", () => {
  const objects = [
    { id: "a", parent: null, index: 1 },
    { id: "b", parent: "a", index: 2, error: "it went away" },
    { id: "c", parent: null, index: 3 },
    { index: 4, id: "d", parent: { deep: ["x", null] } },
    {},
  ];
  const sent = JSON.stringify(toTable(objects));
  expect(JSON.stringify(fromTable(JSON.parse(sent)))).toBe(JSON.stringify(objects));
  expect(sent.match(/"error"/g)).toHaveLength(1);
});

test("a field without a value is left out, as JSON does it", () => {
  expect(toTable([{ id: "a", error: undefined }])).toEqual({ kinds: [["id"]], rows: [[0, "a"]] });
  expect(fromTable(toTable([]))).toEqual([]);
});
