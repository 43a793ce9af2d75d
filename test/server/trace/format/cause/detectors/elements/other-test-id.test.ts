import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run } from "../../run.ts";

const orders = (total: number) =>
  exchange("/api/orders", { ts: 4_000, body: JSON.stringify({ items: [], total }) });
const totals = (id: string, text: string) => page(`<main><p data-testid="${id}">${text}</p></main>`);
const asked = (id: string, expected: string) => ({
  title: `Expect "toHaveText" getByTestId('${id}')`,
  message: `expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('${id}')\nError: element(s) not found`,
  expected: `"${expected}"`,
  received: undefined,
});
const cause = (now: [id: string, text: string], before: [id: string, text: string], wanted = now[1]) =>
  first(
    run(...orders(28), failing(asked(before[0], wanted)), totals(...now)),
    run(...orders(34), passing(asked(before[0], before[1])), totals(...before)),
  );

test("an element that stands in its place under another test id is told before a figure that differs", () => {
  expect(cause(["fleet-total", "28 bikes"], ["bike-total", "34 bikes"])).toBe(
    "element_renamed: getByTestId('bike-total') was not found; where the last pass has <p> “34 bikes” (test id “bike-total”), the page has <p> “28 bikes” (test id “fleet-total”)",
  );
});

test("a test id that is made of data, or of what the element says, is no other name", () => {
  expect(cause(["total-28", "28 bikes"], ["total-34", "34 bikes"])).toStartWith("answer_changed: ");
  expect(cause(["total-some", "28 bikes"], ["total-many", "34 many bikes"])).toStartWith("answer_changed: ");
});
