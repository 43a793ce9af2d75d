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

test("another name that the test signs in with is told before what is answered to that one", () => {
  const stays = {
    title: "Expect \"toContainText\" getByRole('list')",
    expected: '"Harbour Inn"',
    received: undefined,
  };
  const visit = (email: string, names: string[], end: typeof failing, more: object = {}) =>
    run(
      click(`Fill "${email}" getByLabel('Email')`, {
        ts: 1_000,
        name: "page.fill",
        params: { selector: 'internal:label="Email"i', value: email },
      }),
      ...exchange("/api/login", {
        ts: 1_100,
        method: "POST",
        request: { body: JSON.stringify({ email, password: "Alp-7" }) },
        ...more,
      }),
      ...exchange("/api/stays", {
        ts: 2_000,
        body: JSON.stringify({ stays: names.map((name) => ({ name })) }),
      }),
      end(stays),
    );
  const usual = visit("ana@shop.example", ["Harbour Inn"], passing);
  const said =
    "test_code: The test gave getByLabel('Email') “bo@shop.example”, where it gave “ana@shop.example”";
  expect(first(visit("bo@shop.example", [], failing), usual, usual)).toStartWith(said);
  // Of what is no sign-in the answer is told.
  const sent = { request: { body: JSON.stringify({ email: "bo@shop.example" }) } };
  expect(first(visit("bo@shop.example", [], failing, sent), usual, usual)).not.toStartWith(said);
  expect(first(visit("ana@shop.example", [], failing), usual, usual)).toStartWith(
    "answer_changed: GET /api/stays",
  );
});
