import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const rows = (...skus: string[]) =>
  exchange("/api/o/globex/items", {
    ts: 4_000,
    body: JSON.stringify({ rows: skus.map((sku) => ({ sku, name: `Roll ${sku}` })) }),
    media_type: "application/json",
  });
const looks = { name: "toContainText", expected: '"GX-"' };
const pass = (...skus: string[]) => run(...rows(...skus), passing(looks));
const failed = (...skus: string[]) =>
  run(...rows(...skus), failing({ ...looks, received: `"${skus[0]}Roll heavy"` }));

test("a list in which nothing has what each of its things has in every pass is told by what it begins with", () => {
  expect(first(failed("AC-1059", "AC-1012"), pass("GX-1004", "GX-1023"), pass("GX-1001", "GX-1004"))).toBe(
    "answer_changed: GET /api/o/globex/items answered a list in which nothing has “GX-” for “sku”, as each of its things has in the last pass: it begins with “AC-1059”",
  );
});

test("it is not told where something has it, or where not all have it in the passes", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("a list in which nothing has");
  expect(isTold(failed("AC-1059", "GX-1004"), pass("GX-1004", "GX-1023"))).toBe(false);
  expect(isTold(failed("AC-1059", "AC-1012"), pass("GX-1004", "AC-1012"))).toBe(false);
  expect(isTold(failed("AC-1059", "AC-1012"))).toBe(false);
});
