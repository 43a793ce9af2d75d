import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../run.ts";

const list = (ts: number, after: string | null, names: string[], next: string) =>
  exchange("/api/courses/search", {
    ts,
    method: "POST",
    request: { body: JSON.stringify({ first: 2, after }) },
    body: JSON.stringify({ items: names.map((name) => ({ name })), page: { end: next } }),
    media_type: "application/json",
  });
const values = { expected: '"History"', received: '"Biology"' };
const usual = run(
  ...list(3_000, null, ["Algebra", "Biology"], "cursor-b"),
  ...list(4_000, "cursor-b", ["Chemistry", "History"], "cursor-d"),
  passing(values),
);

test("a request that was sent with what an answer had given otherwise comes of that answer", () => {
  const failed = run(
    ...list(3_000, null, ["Algebra", "Biology"], "cursor-a"),
    ...list(4_000, "cursor-a", ["Biology", "Chemistry"], "cursor-c"),
    failing(values),
  );
  const suspects = told(failed, usual, usual);
  expect(suspects[0]).toBe(
    "answer_changed: POST /api/courses/search gave “cursor-a” for “page.end”, where it gave “cursor-b” in the last pass; POST /api/courses/search was sent with that as the field after",
  );
});

test("what no answer gave, or gave in the passes as well, comes of the page", () => {
  const made = run(
    ...list(3_000, null, ["Algebra", "Biology"], "cursor-b"),
    ...list(4_000, "cursor-a", ["Biology", "Chemistry"], "cursor-c"),
    failing(values),
  );
  expect(first(made, usual, usual)).not.toContain("gave");
  const other = run(
    ...list(3_000, null, ["Algebra", "Biology"], "cursor-c"),
    ...list(4_000, "cursor-b", ["Chemistry", "History"], "cursor-d"),
    passing(values),
  );
  const given = run(
    ...list(3_000, null, ["Algebra", "Biology"], "cursor-a"),
    ...list(4_000, "cursor-a", ["Biology", "Chemistry"], "cursor-c"),
    failing(values),
  );
  expect(told(given, usual, other).join("\n")).not.toContain(" gave ");
});
