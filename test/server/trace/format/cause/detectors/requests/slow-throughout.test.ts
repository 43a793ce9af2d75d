import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../../run.ts";

const LOGIN = "POST /api/login was still pending after 3.0 s, when the step gave up";
/** What was asked for and how long each took, ms; null for what was not answered. */
const served = (...took: (number | null)[]) =>
  took.flatMap((duration_ms, at) => {
    const ts = at === 0 ? 2_000 : 1_000;
    const method = at === 0 ? "POST" : "GET";
    const [asked, answered] = exchange(at === 0 ? "/api/login" : `/api/${"abcdef"[at]}`, { method, ts });
    return duration_ms === null ? [asked!] : [asked!, { ...answered!, ts: ts + duration_ms, duration_ms }];
  });
const told = (...took: (number | null)[]) =>
  first(
    run(...served(...took), failing({ ts: 2_000, duration_ms: 3_000 })),
    run(...served(...took.map(() => 100)), passing()),
  );

test("a server of which most answers came late is told as slow throughout, beside the request that held the step up", () => {
  expect(told(null, 900, 950, 90)).toBe(
    `request_pending: ${LOGIN}; its server was slow throughout, for 3 of 4 requests: GET /api/b took 900 ms instead of 100 ms`,
  );
});

test("a server is not told as slow for one answer, two of them, or fewer than half", () => {
  expect(told(null, 90, 90)).toBe(`request_pending: ${LOGIN}`);
  expect(told(null, 900, 90)).toBe(`request_pending: ${LOGIN}`);
  expect(told(null, 900, 900, 90, 90, 90)).toBe(`request_pending: ${LOGIN}`);
});
