import { expect, test } from "bun:test";
import { causeOf, exchange, failing, passing, run } from "../../run.ts";

const asked = (value: unknown, times = [1_000, 2_500, 4_000]) =>
  times.flatMap((ts) =>
    exchange("/notices/count.json", {
      ts,
      media_type: "application/json",
      body: JSON.stringify({ unread: value }),
    }),
  );
const first = (mine: Parameters<typeof run>, theirs: Parameters<typeof run>) => {
  const pass = run(...theirs, passing());
  return causeOf(run(...mine, failing()), pass, pass).suspects[0]!;
};
const ofCount = (told: { title: string }) => told.title.includes("/notices/count.json");

test("a figure that a page asks for again and again, and that no pass begins with, explains little", () => {
  const told = first(asked(5), asked(1));
  expect(ofCount(told)).toBe(true);
  expect(told.confidence).toBeLessThan(0.4);
});

test("one that passes begin with, and that does not come to theirs, has stood still", () => {
  const told = first(asked(1), [...asked(1, [1_000, 2_500]), ...asked(2, [4_000])]);
  expect(told.title).toContain("still answered “1” for “unread”, 3 times in a row");
  expect(told.confidence).toBeGreaterThan(0.8);
});

test("a word or a switch tells, though no pass begins with it", () => {
  expect(first(asked(false), asked(true)).confidence).toBeGreaterThan(0.8);
});
