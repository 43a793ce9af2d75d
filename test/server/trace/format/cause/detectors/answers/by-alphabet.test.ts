import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const looks = {
  title: "Expect \"toHaveText\" getByRole('listitem').first()",
  expected: '"Gold"',
  received: '"Bronze"',
};
const list = (query: string, ...grades: string[]) =>
  exchange(`/api/members?${query}`, {
    ts: 4_000,
    body: JSON.stringify({ items: grades.map((grade, at) => ({ id: `d${at}`, grade })) }),
  });
const here = ["bronze", "bronze", "gold", "silver"];
const there = ["gold", "gold", "silver", "silver"];
const failed = (query: string, grades: string[], met = looks) => run(...list(query, ...grades), failing(met));
const pass = (query: string, grades: string[]) => run(...list(query, ...grades), passing(looks));
const isTold = (mine: string[], usual: string[], query = "sort=grade") =>
  told(failed(query, mine), pass(query, usual)).join().includes("alphabet");

describe("a list in the order of the alphabet", () => {
  test("is told with what it was asked to be sorted by, where the passes have the words in an order of their own", () => {
    expect(first(failed("sort=grade", here), pass("sort=grade", there))).toBe(
      "answer_changed: GET /api/members, asked with “sort=grade”, answered its list in the order of the alphabet: “bronze”, “gold”, “silver”, where the last pass has “gold”, “silver”",
    );
  });

  test("is told where it runs the other way round as well", () => {
    const days = failed("by=grade:desc", ["wednesday", "wednesday", "tuesday", "monday"], {
      ...looks,
      expected: '"Sunday"',
      received: '"Wednesday"',
    });
    expect(first(days, pass("by=grade:desc", ["tuesday", "monday", "monday", "friday"]))).toContain(
      "asked with “by=grade:desc”, answered its list in the order of the alphabet: “wednesday”, “tuesday”, “monday”",
    );
  });

  test("is nothing where it is not asked for, the same in a pass, of no order, or the test met another thing first", () => {
    expect(isTold(here, there, "sort=name")).toBe(false);
    expect(isTold(here, here)).toBe(false);
    expect(isTold(["bronze", "gold", "bronze", "silver"], there)).toBe(false);
    expect(isTold(["bronze", "bronze", "silver", "gold"], there)).toBe(false);
    expect(isTold(here, here.toReversed())).toBe(false);
    expect(isTold(["gold", "gold", "tin"], ["tin", "gold", "gold"])).toBe(false);
  });
});
