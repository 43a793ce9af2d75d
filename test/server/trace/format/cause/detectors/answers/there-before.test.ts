import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../../run.ts";

const html = (url: string, ts: number, count: number, items: string) =>
  exchange(url, {
    ts,
    resource_type: "document",
    media_type: "text/html",
    body: `<h2>Basket (<span data-testid="count">${count}</span>)</h2><ul>${items}</ul>`,
  });
const MUG = "<li>1 × Mug</li>";
const adds = exchange("/basket", { ts: 3_000, method: "POST", status: 303 });
const look = (received: number) => ({
  title: "Expect \"toHaveText\" getByTestId('count')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('count')",
  expected: '"2"',
  received: `"${received}"`,
});
const shopped = (had: number, has: number, end: typeof passing) =>
  run(
    ...html("/shop", 2_000, had, had > 0 ? MUG : ""),
    ...adds,
    ...html("/basket", 4_000, has, `<li>2 × Shirt</li>${had > 0 ? MUG : ""}`),
    end(look(has)),
  );
const usual = shopped(0, 2, passing);

test("a count that was as much higher before the page sent anything is told with what stood there", () => {
  expect(first(shopped(1, 3, failing), usual, usual)).toBe(
    "answer_changed: GET /basket came with “3” for the test id “count”, where the last pass had “2”; GET /shop had “1” there already (“1 × Mug”), before the page sent anything, where the last pass had “0”",
  );
});

test("a count that was as in the passes until then, or higher by another number, is not", () => {
  expect(first(shopped(0, 3, failing), usual, usual)).not.toContain("already");
  expect(first(shopped(2, 3, failing), usual, usual)).not.toContain("already");
});
