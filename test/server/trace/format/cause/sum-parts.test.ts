import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

test("a sum is told with the part of it that is another one, and with no other number", () => {
  const quote = (fee: number, handling: number) =>
    exchange("/api/quote", {
      ts: 4_000,
      body: JSON.stringify({
        lines: [
          { label: "fee", cents: fee },
          { label: "handling", cents: handling },
        ],
        totalCents: fee + handling,
      }),
    });
  const price = { expected: '"€52.74"', received: '"€52.73"' };
  const usual = run(...quote(5_145, 129), passing(price));
  expect(first(run(...quote(5_145, 128), failing(price)), usual, usual)).toBe(
    "answer_changed: GET /api/quote answered “5273” for “totalCents”, where the last pass had “5274”; it has “128” for “cents” of “handling” in it, where the last pass had “129”",
  );
  expect(first(run(...quote(5_143, 130), failing(price)), usual, usual)).not.toContain("in it");
});
