import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

const me = (email: string | null, more: object = {}) =>
  exchange("/api/me", {
    ts: 2_000,
    body: JSON.stringify({ user: { email, house: email === "bo@shop.example" ? "1" : "4" } }),
    ...more,
  });
const check = { expected: '"4"', received: undefined };
const usual = run(...me("ana@shop.example"), passing(check));

describe("who is signed in", () => {
  test("is told by name where it is another one, before what else is answered of that one", () => {
    expect(first(run(...me("bo@shop.example"), failing(check)), usual, usual)).toStartWith(
      "storage: GET /api/me answered “bo@shop.example” for “user.email”, where the last pass had “ana@shop.example”: another account is signed in",
    );
  });

  test("is who the test says it is, nobody, or another one in each run", () => {
    const silent = (...args: Parameters<typeof told>) =>
      expect(told(...args).join()).not.toContain("another account");
    const typed = click("Fill E-mail", { ts: 1_000, params: { value: "bo@shop.example" } });
    silent(run(typed, ...me("bo@shop.example"), failing(check)), usual, usual);
    const signIn = exchange("/login", {
      ts: 1_000,
      method: "POST",
      request: { body: "email=bo%40shop.example&pin=1" },
    });
    silent(run(...signIn, ...me("bo@shop.example"), failing(check)), usual, usual);
    silent(run(...me(null), failing(check)), usual, usual);
    silent(
      run(...me("bo@shop.example"), failing(check)),
      usual,
      run(...me("cy@shop.example"), passing(check)),
    );
    const others = (email: string) => me(email, { body: JSON.stringify([{ user: { email } }]) });
    silent(
      run(...others("bo@shop.example"), failing(check)),
      run(...others("ana@shop.example"), passing(check)),
    );
  });
});
