import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const save = (more: object) => exchange("/api/orders/9", { method: "PATCH", ts: 3_000, ...more });
const goto = { ...click("Go to /board", { ts: 3_010, step_id: "goto" }), name: "page.goto" };
const board = exchange("/board", { ts: 3_015, resource_type: "document" });
const read = (reference: string | null, ts: number) =>
  exchange("/api/orders/9", { ts, body: JSON.stringify({ reference }), media_type: "application/json" });
const aborted = { status: 0, error: "net::ERR_ABORTED", duration_ms: 30 };
const check = failing({ expected: '"PO-1"', received: '""' });

test("a write that the page was left over comes before the answer that lacks its value", () => {
  const usual = run(...save({}), goto, ...board, ...read("PO-1", 3_200), passing());
  const mine = run(...save(aborted), goto, ...board, ...read(null, 3_200), check);
  expect(first(mine, usual)).toBe(
    "request_failed: PATCH /api/orders/9 was aborted before its answer came: “Go to /board” left the page 10 ms after it was sent; in the last pass it was answered with 200 first",
  );
  expect(first(mine)).toBe(
    "request_failed: PATCH /api/orders/9 was aborted before its answer came: “Go to /board” left the page 10 ms after it was sent",
  );
});

test("what a page aborts itself, and what is aborted so in a pass too, is none", () => {
  const alone = run(...save(aborted), ...read(null, 3_200), check);
  expect(told(alone, run(...save({}), passing())).join()).not.toContain("left the page");
  const both = run(...save(aborted), goto, ...board, ...save({ ts: 3_100 }), passing());
  expect(told(run(...save(aborted), goto, ...board, check), both).join()).not.toContain("left the page");
});

test("without a pass it comes before the answer that still has the old value, where the test wants what it had sent", () => {
  const sent = { ...aborted, request: { body: '{"reference":"PO-1"}' } };
  const old = { expected: '"PO-1"', received: '"PO-0"' };
  const mine = run(...save(sent), goto, ...board, ...read("PO-0", 3_200), failing(old));
  expect(first(mine)).toStartWith("request_failed: PATCH /api/orders/9 was aborted before its answer came");
});
