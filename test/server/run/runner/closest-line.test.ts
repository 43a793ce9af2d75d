import { expect, test } from "bun:test";
import { closestLine } from "../../../../server/run/runner/closest-line.ts";

const PAGE = "Slow Mornings\nShop\nCart (1)\nSign in\n\nEverything   for the pour\nGooseneck kettle\n€64.00";

test.each([
  ["Cart (2)", "Cart (1)"],
  ["Everything for your pour", "Everything for the pour"],
])("%s is closest to %s", (wanted, line) => {
  expect(closestLine(PAGE, wanted)).toBe(line);
});

test("what is like nothing on the page has no closest line", () => {
  expect(closestLine(PAGE, "Your order number is 81723")).toBeNull();
  expect(closestLine("", "Cart (2)")).toBeNull();
});

test("a single line is told whole", () => {
  expect(closestLine("Cart (1)", "Cart (2)")).toBeNull();
});

test("a page of a million letters is looked through in bounded work", () => {
  expect(closestLine(`${"x".repeat(500_000)}\n${"a b\n".repeat(200_000)}`, "Cart (2)")).toBeNull();
});
