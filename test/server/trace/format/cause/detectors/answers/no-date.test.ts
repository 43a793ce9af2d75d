import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../../run.ts";

const check = {
  title: "Expect \"toHaveText\" getByTestId('due')",
  expected: '"in 3 h"',
  received: '"Invalid Date"',
};
const went = (order: object, end: typeof passing, more = {}) =>
  run(
    ...exchange("/api/orders/5", {
      ts: 4_000,
      media_type: "application/json",
      body: JSON.stringify({ order: { id: 5, createdAt: "2026-11-30T10:00:00Z", ...order } }),
    }),
    end({ ...check, ...more }),
  );

describe("a page that shows that a date is none", () => {
  const words = "answer_changed: GET /api/orders/5 answered “1796073952” for “order.dueAt”";
  const end =
    "seconds since 1970 (epoch) as a text that scripts read as no date; the page shows “Invalid Date”";
  const failed = went({ dueAt: "1796073952" }, failing);

  test("is told with the answer whose moment no script reads, with and without a pass", () => {
    expect(first(failed)).toBe(`${words}: ${end}`);
    const pass = (hour: number) => went({ dueAt: `2026-11-30T${hour}:00:00Z` }, passing);
    expect(first(failed, pass(13), pass(14))).toBe(
      `${words}, where the last pass had “2026-11-30T13:00:00Z”: ${end}`,
    );
    expect(first(went({ dueAt: "30.11.2026" }, failing))).toContain(
      "“30.11.2026” for “order.dueAt”: a text in a form that scripts read as no date",
    );
  });

  test("is something else where every moment can be read, passes have it so too, or the page shows a date", () => {
    const isTold = (...given: Parameters<typeof first>) => first(...given)?.includes("no date;") ?? false;
    expect(isTold(went({ dueAt: "2026-11-30T13:00:00Z", startTime: "14:00" }, failing))).toBe(false);
    expect(isTold(failed, went({ dueAt: "1796070000" }, passing))).toBe(false);
    expect(isTold(went({ dueAt: "1796073952" }, failing, { received: '"in 2 h"' }))).toBe(false);
  });
});
