import { describe, expect, test } from "bun:test";
import { causeWithFiles, click, exchange, failing, first, passing, run, told } from "../../run.ts";

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

describe("a refusal of who signs in with another name than in the passes", () => {
  const SPEC = "/work/tests/desk.spec.ts";
  const file = (who: string) => ['test("desk", async () => {', `  await signIn(${who});`, "});"].join("\n");
  const open = {
    name: "locator.click",
    step_id: "open",
    params: { selector: 'internal:role=link[name="New course"i]' },
  };
  const fill = (ts: number, field: string, value: string) =>
    click(`Fill "${value}" getByLabel('${field}')`, {
      ts,
      name: "page.fill",
      params: { selector: `internal:label="${field}"i`, value },
      stack: [{ file: SPEC, line: 2, column: 3 }],
    });
  const visit = (
    email: string,
    password: string,
    status: number,
    request: string,
    path = "/login",
    size = 9,
  ) =>
    run(
      ...exchange("/app.js", {
        ts: 500,
        resource_type: "script",
        headers: [{ name: "content-length", value: String(size) }],
      }),
      fill(1_000, "Email", email),
      fill(1_050, "Password", password),
      ...exchange(path, { ts: 1_100, method: "POST", request: { body: request } }),
      ...exchange("/desk", { ts: 1_500, resource_type: "document", status }),
      click("Click getByRole('link', { name: 'New course' })", {
        ...open,
        ts: 2_000,
        ...(status === 403 && {
          duration_ms: 4_000,
          error: { message: "TimeoutError: locator.click: Timeout 4000ms exceeded." },
        }),
      }),
    );
  const form = (email: string) => JSON.stringify({ email, password: "Alp-7" });
  const usual = visit("desk@shop.example", "Alp-7", 200, form("desk@shop.example"));
  const files = [{ file: SPEC, now: file("otto"), before: file("desk") }];
  const suspect = (...[given, failed, ...passes]: Parameters<typeof causeWithFiles>) =>
    causeWithFiles(given, failed, ...passes).suspects[0]?.title;

  test("is told with the line of the test that names another one, or with what was typed", () => {
    const other = visit("otto@shop.example", "Fen-2", 403, form("otto@shop.example"));
    const released = visit("otto@shop.example", "Fen-2", 403, form("otto@shop.example"), "/login", 8);
    for (const failed of [other, released])
      expect(suspect(files, failed, usual, usual)).toMatch(
        /^The test was changed .*: “await signIn\(otto\);”, where it had “await signIn\(desk\);”; GET \/desk was answered with 403(?!.*403)/,
      );
    expect(suspect([], other, usual, usual)).toStartWith(
      "The test gave getByLabel('Email') “otto@shop.example”, where it gave “desk@shop.example” in the last pass; GET /desk was answered with 403",
    );
  });

  test("stands first where the same one signed in, or what was typed signs nobody in", () => {
    const same = visit("desk@shop.example", "Alp-7", 403, form("desk@shop.example"));
    expect(suspect([], same, usual, usual)).toStartWith("GET /desk was answered with 403");
    const noted = visit("otto@shop.example", "Fen-2", 403, form("otto@shop.example"), "/notes");
    expect(suspect([], noted, usual, usual)).toStartWith("GET /desk was answered with 403");
  });
});
