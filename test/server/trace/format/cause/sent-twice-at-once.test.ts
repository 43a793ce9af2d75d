import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

const add = (dish: string, ts: number, quantity: number, more: Record<string, unknown> = {}) =>
  exchange("/api/basket", {
    ...{ ts, status: 201, method: "POST", media_type: "application/json" },
    body: JSON.stringify({ dish, lines: [{ quantity }] }),
    request: { body: JSON.stringify({ dish, quantity: 1 }) },
    ...more,
  });
const press = (dish: string, ts: number) => click(`Click Add ${dish}`, { ts });
const usual = () =>
  run(
    ...[press("soup", 2_900), ...add("soup", 2_950, 1), passing({ ts: 3_100, duration_ms: 10 })],
    ...[press("rice", 3_200), ...add("rice", 3_250, 1)],
  );
const twice = (apart: number, ...between: ReturnType<typeof click>[]) =>
  run(
    ...[press("soup", 2_900), ...add("soup", 2_950, 1), ...between, ...add("soup", 2_950 + apart, 2)],
    failing({ ts: 3_100, expected: '"1"', received: '"2"' }),
  );

test("what one press sends twice is told though the passes send as many, one for each of two presses", () => {
  expect(first(twice(10), usual(), usual())).toBe(
    "request_repeated: POST /api/basket was sent twice within 10 ms, with the same content, by one “Click Add soup”; no pass sends it twice so; POST /api/basket answered “2” for “lines.0.quantity”, where the last pass had “1”",
  );
});

test("that the second of the two is another than what the passes send next is no news", () => {
  expect(told(twice(10), usual(), usual()).join()).not.toContain("which was sent with the field dish");
});

test("two presses, two contents, two files and what a pass sends twice at once are no double sending", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("by one “");
  expect(isTold(twice(10), usual())).toBeTrue();
  expect(isTold(twice(200, press("soup", 3_000)), usual())).toBeFalse();
  expect(isTold(twice(10))).toBeFalse();
  expect(isTold(twice(10), twice(10))).toBeFalse();
  const other = run(
    ...[press("soup", 2_900), ...add("soup", 2_950, 1), ...add("rice", 2_960, 1)],
    failing({ ts: 3_100 }),
  );
  expect(isTold(other, usual())).toBeFalse();
  const file = { request: { headers: [{ name: "content-length", value: "9000" }] } };
  const files = run(
    ...[press("soup", 2_900), ...add("soup", 2_950, 1, file), ...add("soup", 2_960, 1, file)],
    failing({ ts: 3_100 }),
  );
  expect(isTold(files, usual())).toBeFalse();
});
