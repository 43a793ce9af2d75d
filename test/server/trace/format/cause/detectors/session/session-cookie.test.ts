import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const HOST = { name: "Host", value: "shop.example" };

describe("a cookie that ends with its browser", () => {
  const signIn = (terms: string) =>
    exchange("/login", {
      ...{ method: "POST", ts: 1_000, headers: [{ name: "Set-Cookie", value: `sid=1; Path=/${terms}` }] },
      request: { page: "one" },
    });
  const ask = (page: string, has: boolean, ts: number) =>
    exchange("/api/orders", {
      ts,
      request: { page, headers: has ? [HOST, { name: "Cookie", value: "sid=1" }] : [HOST] },
    });
  const visit = (terms: string, page: string, has: boolean, end: ReturnType<typeof failing>) =>
    run(...signIn(terms), ...ask("one", true, 1_500), ...ask(page, has, 4_000), end);
  const usual = visit("; Max-Age=3600", "two", true, passing());

  test("is told where the passes keep it, and a later browser came without it", () => {
    expect(first(visit("", "two", false, failing()), usual, usual)).toBe(
      "storage: POST /login sets the cookie “sid” without Max-Age and Expires, where the last pass has Max-Age=3600: it ends with its browser, and GET /api/orders came without it",
    );
  });

  test("is none where it is sent all the same, the passes keep it no longer either, or the same tab lost it", () => {
    const short = visit("", "two", true, passing());
    for (const [failed, pass] of [
      [visit("", "two", true, failing()), usual],
      [visit("", "two", false, failing()), short],
      [visit("; Max-Age=60", "two", false, failing()), usual],
      [visit("", "one", false, failing()), usual],
    ] as const)
      expect(told(failed, pass, pass).join()).not.toContain("ends with its browser");
  });
});
