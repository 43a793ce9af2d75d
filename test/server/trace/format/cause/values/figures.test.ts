import { expect, test } from "bun:test";
import { hasNumber } from "../../../../../../server/trace/format/cause/values/figures.ts";

test("a number stands in a text as it is written, its point and its sign too", () => {
  expect(hasNumber("It costs 1.5 now", 1.5)).toBe(true);
  expect(hasNumber("Seat 1x5 is free", 1.5)).toBe(false);
  expect(hasNumber("about 1e+21 atoms", 1e21)).toBe(true);
  expect(hasNumber("17.5, of 1.55", 7.5)).toBe(false);
});
