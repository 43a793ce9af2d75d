import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

const told = (now: number, before: number) => {
  const limits = (limit: number) =>
    exchange("/api/policies", {
      method: "PUT",
      ts: 4_000,
      request: { body: JSON.stringify({ limit }) },
      body: JSON.stringify({ saved: limit }),
    });
  return first(run(...limits(now), failing()), run(...limits(before), passing()));
};

test("a figure that is a hundred or a thousand times the one of the passes, or such a part of it, is told so", () => {
  expect(told(95, 9_500)).toContain("“95” where the last pass sent “9500”, a hundredth of that");
  expect(told(9_500, 95)).toContain("“9500” where the last pass sent “95”, a hundred times that");
  expect(told(30, 30_000)).toContain("“30” where the last pass sent “30000”, a thousandth of that");
});

test("a figure that is another one altogether is told without", () => {
  expect(told(95, 9_400)).toContain("“95” where the last pass sent “9400”");
  expect(told(95, 9_400)).not.toContain("of that");
});
