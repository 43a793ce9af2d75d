import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

const FILTER = "state=any&grade=any&search=&sort=number&dir=asc";
const looks = {
  title: "Expect \"toHaveText\" getByRole('row').first()",
  expected: '"Crate 4"',
  received: '"Crate 5"',
};
const list = (shelf: number, ...numbers: number[]) =>
  exchange(`/api/crates?${FILTER}&shelf=${shelf}`, {
    ts: 3_000 + shelf * 100,
    body: JSON.stringify({ items: numbers.map((number) => ({ label: `Crate ${number}`, number })) }),
  });
const usual = run(...list(1), ...list(2, 4, 5, 6, 7), passing(looks));
const toldOf = (...numbers: number[]) =>
  first(run(...list(1), ...list(2, ...numbers), failing(looks)), usual);

describe("a part of a list that has other things than in the passes", () => {
  test("is told with the part that was asked for, and by how much it begins further on or earlier", () => {
    expect(toldOf(5, 6, 7, 8)).toEndWith(
      "; it begins one item further on than there; it was asked with “shelf=2”",
    );
    expect(toldOf(3, 4, 5, 6)).toEndWith(
      "; it begins one item earlier than there; it was asked with “shelf=2”",
    );
  });

  test("is told without a number of places where it is no such part", () => {
    expect(toldOf(5, 7, 6, 9)).not.toContain("than there");
  });
});
