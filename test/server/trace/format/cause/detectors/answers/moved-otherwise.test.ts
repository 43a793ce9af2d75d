import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const SERVED = { resource_type: "document", media_type: "text/html" };
const paid = exchange("/dues/7/payment", { ts: 3_000, method: "POST", status: 303 });
const dues = (sum: string, ts: number) =>
  exchange("/dues", {
    ...SERVED,
    ts,
    body: `<dl><dt>Outstanding</dt><dd data-testid="sum">${sum}</dd></dl>`,
  });
const reads = click("Get text content getByTestId('sum')", { ts: 4_500, name: "page.textContent" });
const compared = (expected: number, received: number) => ({
  name: "toBe",
  title: 'Expect "toBe"',
  message: "expect(received).toBe(expected) // Object.is equality",
  expected: String(expected),
  received: String(received),
});
const visited = (before: string, after: string, end: typeof passing, received: number) =>
  run(...dues(before, 2_000), ...paid, ...dues(after, 4_000), reads, end(compared(1, received)));
const passes = [
  visited("€2,000.50", "€1,900.25", passing, 190025),
  visited("€1,500.50", "€1,400.25", passing, 140025),
] as const;

test("a figure that a write changes by as much in every pass, and that is as it was, is told though it is another one in each run", () => {
  expect(first(visited("€2,881.25", "€2,881.25", failing, 288125), ...passes)).toBe(
    "answer_changed: GET /dues came with “€2,881.25” for “Outstanding”, still as before POST /dues/7/payment, which was answered with 303: it did not change, where it came to be 100.25 less in the last pass",
  );
});

test("a cell of a row that came to be more by another amount is told with its column", () => {
  const table = (points: number, ts: number) =>
    exchange("/league", {
      ...SERVED,
      ts,
      body: `<table><tr><th>Club</th><th>Pts</th></tr><tr><td>Ash</td><td>9</td></tr><tr><td>Hawthorn</td><td>${points}</td></tr></table>`,
    });
  const locator = "getByRole('row', { name: 'Hawthorn' }).getByRole('cell').nth(1)";
  const won = (before: number, after: number, end: typeof passing) =>
    run(
      ...table(before, 2_000),
      ...paid,
      ...table(after, 4_000),
      end({
        title: `Expect "toHaveText" ${locator}`,
        message: `expect(locator).toHaveText(expected) failed\n\nLocator: ${locator}`,
        expected: `"${before + 3}"`,
        received: `"${after}"`,
      }),
    );
  expect(first(won(4, 6, failing), won(1, 4, passing), won(7, 10, passing))).toBe(
    "answer_changed: GET /league came with “6” for “Pts” of “Hawthorn”, after “4” before POST /dues/7/payment, which was answered with 303: 2 more, where it came to be 3 more in the last pass",
  );
});

test("nothing is told where passes differ in the change, it is the usual one, or the test met another figure", () => {
  const silent = (...given: Parameters<typeof told>) =>
    expect(told(...given).join("\n")).not.toContain("came to be");
  silent(visited("€2,881.25", "€2,781.00", failing, 278100), ...passes);
  silent(visited("€2,881.25", "€2,881.25", failing, 5), ...passes);
  const other = visited("€9.00", "€1.00", passing, 100);
  silent(visited("€2,881.25", "€2,881.25", failing, 288125), passes[0], other);
});
