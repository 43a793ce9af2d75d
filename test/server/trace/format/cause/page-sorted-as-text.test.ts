import { expect, test } from "bun:test";
import { click, exchange, failing, page, passing, run, told } from "./run.ts";

const NAMES: Record<number, string> = { 35: "Glaze", 90: "Raku", 120: "Wheel", 1100: "Kiln" };
const list = (...prices: number[]) =>
  `<ul>${prices.map((price) => `<li><h3>${NAMES[price]}</h3> € ${price}</li>`).join("")}</ul>`;
const check = (received?: string) => ({
  name: "toHaveText",
  title: "Expect \"toHaveText\" locator('h3').first()",
  expected: '"Glaze"',
  received,
});
const went = (prices: number[], end: ReturnType<typeof failing>) =>
  run(
    click("Select option getByLabel('Sort')", { ts: 4_000 }),
    ...exchange("/courses?sort=price", { ts: 4_100, media_type: "text/html", body: list(...prices) }),
    page(list(...prices)),
    end,
  );
const usual = (...prices: number[]) => went(prices, passing(check()));

test("a list on the page that is sorted as texts are is told so before what else its answer has", () => {
  const failed = went([1100, 120, 35, 90], failing(check('"Kiln"')));
  const [first] = told(failed, usual(35, 90, 120, 1100), usual(35, 90, 120, 1100));
  expect(first).toBe(
    "page_changed: The page lists things in the order that GET /courses?sort=price asked for (“price”) as texts are sorted, not as numbers: 1100 comes before 120",
  );
});

test("a list that the passes have in no order of its numbers is not sorted as texts are", () => {
  const failed = went([1100, 120, 35, 90], failing(check('"Kiln"')));
  expect(told(failed, usual(90, 35, 1100, 120)).join()).not.toContain("as texts are sorted");
});
