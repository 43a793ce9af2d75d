import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const script = (size: number) =>
  exchange("/app.js", {
    ts: 500,
    resource_type: "script",
    headers: [{ name: "content-length", value: String(size) }],
  });
const more = click("Click more", { ts: 4_000, step_id: "more" });
const total = {
  title: "Expect \"toHaveText\" getByTestId('total')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('total')",
  expected: '"€ 34.80"',
  received: '"€ 37.30"',
};
const sums = (off: string, sum: string, more: Record<string, unknown> = {}) =>
  page(`<b data-testid="off">€ ${off}</b><b data-testid="total">€ ${sum}</b>`, more);
const bought = (size: number, off: string, sum: string, end: typeof passing) =>
  run(
    ...script(size),
    sums("6.20", "24.80", { ts: 4_000, step_id: "more", phase: "action" }),
    more,
    sums(off, sum),
    end(total),
  );
const usual = bought(900, "8.70", "34.80", passing);
const silent = (...given: Parameters<typeof told>) =>
  expect(told(...given).join()).not.toContain("off by as much");

test("a figure that an action left as it was, by which another one is off, is told with both", () => {
  expect(first(bought(901, "6.20", "37.30", failing), usual, usual)).toStartWith(
    "page_changed: “€ 6.20” (test id “off”) stayed as it was with “Click more”, where the last pass has “€ 8.70” there by then, and getByTestId('total') is off by as much; the script GET /app.js",
  );
});

test("it is not told where the other one is off by something else, it was another before, passes differ, or the script is the same", () => {
  silent(bought(901, "6.20", "37.00", failing), usual, usual);
  silent(bought(901, "6.10", "37.40", failing), usual, usual);
  silent(bought(901, "6.20", "37.30", failing), usual, bought(900, "8.90", "34.60", passing));
  silent(bought(900, "6.20", "37.30", failing), usual, usual);
});
