import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const HOST = { name: "Host", value: "shop.example" };
const SID = { name: "Cookie", value: "sid=1" };

const open = (cookie: string, more: object = {}) =>
  exchange("/", { ts: 1_000, headers: [{ name: "Set-Cookie", value: cookie }], ...more });
const ask = (ts: number, has: boolean) =>
  exchange("/api/places", { ts, request: { headers: has ? [HOST, SID] : [HOST] } });
const hold = (status: number) =>
  exchange("/api/holds", {
    ts: 4_500,
    method: "POST",
    status,
    body: status === 403 ? '{"message":"Your session has ended."}' : "{}",
    request: { headers: [HOST, SID] },
  });
const usual = run(...open("sid=1; Path=/"), ...ask(4_000, true), ...hold(201), passing());
const visit = (cookie: string, has = false) =>
  run(...open(cookie), ...ask(4_000, has), ...hold(403), failing());

describe("a cookie that is set for a shorter while than in passes", () => {
  test("is told with what came without it once it had ended, and with what was refused", () => {
    expect(first(visit("sid=1; Path=/; Max-Age=1"), usual, usual)).toBe(
      "storage: GET / sets the cookie “sid” with Max-Age=1, where the last pass has no end for it: 3.0 s later GET /api/places came without it and POST /api/holds was refused with 403, “Your session has ended.”",
    );
    const date = { name: "Date", value: "Thu, 01 Jan 2026 10:00:00 GMT" };
    const expires = { name: "Set-Cookie", value: "sid=1; Path=/; Expires=Thu, 01 Jan 2026 10:00:02 GMT" };
    const dated = run(
      ...open("", { headers: [date, expires] }),
      ...ask(4_000, false),
      ...hold(403),
      failing(),
    );
    expect(first(dated, usual, usual)).toStartWith(
      "storage: GET / sets the cookie “sid” with Expires=Thu, 01 Jan 2026 10:00:02 GMT, where the last pass has no end for it",
    );
  });

  test("is none where it lives long enough, is sent all the same, or lives as long in passes", () => {
    const short = run(...open("sid=1; Path=/; Max-Age=2"), ...ask(2_000, true), ...hold(201), passing());
    for (const [failed, pass] of [
      [visit("sid=1; Path=/; Max-Age=60"), usual],
      [visit("sid=1; Path=/; Max-Age=1", true), usual],
      [visit("sid=1; Path=/; Max-Age=1"), short],
    ] as const)
      expect(told(failed, pass, pass).join()).not.toContain("Max-Age");
  });
});

test("the terms that a cookie is set under lead where a request lacks it for them", () => {
  const signIn = (path: string, end: typeof failing, has: boolean) =>
    run(
      ...exchange("/desk/login", {
        ts: 3_000,
        method: "POST",
        headers: [{ name: "Set-Cookie", value: `sid=1; Path=${path}` }],
      }),
      ...exchange("/desk/arrivals", {
        ts: 4_000,
        status: has ? 200 : 303,
        request: { headers: has ? [HOST, SID] : [HOST] },
        headers: has ? [] : [{ name: "Location", value: "/desk/login" }],
      }),
      end({ title: "Expect \"toBeVisible\" getByRole('heading', { name: 'Arrivals' })" }),
    );
  const causes = told(signIn("/desk/login", failing, false), signIn("/desk", passing, true));
  expect(causes[0]).toStartWith("storage: POST /desk/login sets the cookie “sid” with Path=/desk/login");
  expect(told(signIn("/desk", failing, false), signIn("/desk", passing, true))[0]).toStartWith(
    "storage: GET /desk/arrivals was sent without the cookie “sid”",
  );
});
