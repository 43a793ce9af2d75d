import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run } from "../../run.ts";

const adjust = (delta: string) => [
  click("Click getByRole('button', { name: 'Adjust' })", { ts: 3_000, name: "page.click" }),
  ...exchange("/items/7", {
    ts: 3_050,
    method: "POST",
    body: '{"ok":true}',
    request: {
      body: `location=B-12&delta=${delta}`,
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
  }),
];
const item = (stock: number) =>
  exchange("/api/items/7", { ts: 3_200, body: JSON.stringify({ name: "Collar", stock }) });
const looks = { name: "toContainText", expected: '"10"' };
const now = (delta: string, stock: number) =>
  first(
    run(...adjust(delta), ...item(stock), failing({ ...looks, received: `"B-12 Rack${stock}"` })),
    run(...adjust(delta), ...item(10), passing(looks)),
  );

test("a number as far from what passes have as twice what was sent was added instead of taken away, or taken away instead of added", () => {
  expect(now("-5", 20)).toEndWith(
    "; POST /items/7 was sent with “-5” for “delta”: it was added instead of taken away",
  );
  expect(now("4", 2)).toEndWith("“4” for “delta”: it was taken away instead of added");
});

test("a number that lacks what was sent was not changed by it", () => {
  expect(now("-5", 15)).toEndWith("“-5” for “delta”: it was not taken away");
  expect(now("4", 6)).toEndWith("“4” for “delta”: it was not added");
});

test("any other number is told without, and one more or less comes about by anything", () => {
  expect(now("-5", 17)).not.toContain("was sent with “-5”");
  expect(now("1", 9)).not.toContain("was sent with “1”");
});
