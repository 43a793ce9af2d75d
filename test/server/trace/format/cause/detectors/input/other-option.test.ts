import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run } from "../../run.ts";

/** What a picked option has for a value, which is what its form sends. */
const pick = (label: string, ...picked: string[]) =>
  click("Select option getByLabel('Branch')", {
    name: "page.selectOption",
    ts: 2_000,
    params: { selector: 'internal:label="Branch"i', options: [{ label }] },
    picked,
  });
const send = (branch: string, more: object = {}) =>
  exchange("/titles/move", {
    method: "POST",
    ts: 3_000,
    request: { body: JSON.stringify({ branch }) },
    ...more,
  });
const check = { expected: '"Moved to the north"', received: '"Moved"' };
const sent = (label: string, value: string) => [pick(label, value), ...send(value)];
const usual = run(...sent("Northside", "north"), passing(check));
const cause = (...events: Parameters<typeof run>) => first(run(...events, failing(check)), usual, usual);

test("an option that has another value than in the passes is told before what was sent for it", () => {
  expect(cause(...sent("Northside", "harbour"))).toBe(
    "page_changed: The option “Northside” has the value “harbour” instead of “north”, which it has in the last pass: “Select option getByLabel('Branch')” picked it; POST /titles/move was sent with the field branch “harbour” where the last pass sent “north”",
  );
});

test("an option that lost its value goes by its text, and is why what was sent is refused", () => {
  const told = cause(pick("Northside", "Northside"), ...send("Northside", { status: 422 }));
  expect(told).toStartWith("page_changed: The option “Northside” has lost its value “north”");
});

test("an option whose value an answer gave is told with that answer", () => {
  const list = (id: string) =>
    exchange("/api/branches", {
      ts: 1_000,
      body: JSON.stringify({ id, name: "Northside" }),
      media_type: "application/json",
    });
  const before = run(...list("north"), ...sent("Northside", "north"), passing(check));
  const failed = run(...list("harbour"), ...sent("Northside", "harbour"), failing(check));
  const told = first(failed, before, before);
  expect(told).toContain("GET /api/branches answered “harbour”");
});

test("values that are made for each run, and what the test itself picked otherwise, tell nothing of an option", () => {
  const other = run(...sent("Northside", "n2"), passing(check));
  const failed = run(...sent("Northside", "n3"), failing(check));
  expect(first(failed, usual, other)).not.toContain("The option");
  expect(cause(...sent("Harbour", "harbour"))).not.toContain("The option");
  const made = (id: string) => run(...sent("Northside", id), passing(check));
  expect(
    first(
      run(...sent("Northside", "0b33e9023c7745aab1c0ffee12345678"), failing(check)),
      made("f2a9b1c4d7e8462f9a0b1c2d3e4f5a6b"),
    ),
  ).not.toContain("The option");
});
