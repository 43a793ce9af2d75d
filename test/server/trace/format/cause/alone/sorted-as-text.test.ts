import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../run.ts";

const rows = (...stock: [sku: string, count: number][]) =>
  exchange("/api/rows?sort=count", {
    ts: 4_000,
    body: JSON.stringify(stock.map(([sku, count]) => ({ sku, name: `Board ${sku}`, count }))),
    media_type: "application/json",
  });
const check = { name: "toContainText", expected: '"T-BW915"' };
const usual = run(...rows(["T-AA301", 4_900], ["AC-7", 87], ["AC-5", 73], ["AC-3", 39]), passing(check));

test("a list that is sorted as texts are is told where the test wants another thing first, by the number that it goes by", () => {
  const now = rows(["AC-7", 87], ["AC-5", 73], ["T-BW915", 4_800], ["AC-3", 39]);
  const failed = run(...now, failing({ ...check, received: '"AC-7Board AC-787"' }));
  expect(first(failed, usual, usual)).toBe(
    "answer_changed: GET /api/rows?sort=count answered a list that is sorted by “count” as texts are, not as numbers: 73 comes before 4800",
  );
});
