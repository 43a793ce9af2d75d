import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../run.ts";

const fill = (label: string, text: string) =>
  click(`Fill "${text}" getByLabel('${label}')`, {
    name: "fill",
    ts: 4_000,
    step_id: "fill",
    params: { selector: `internal:label="${label}"`, value: text },
  });
const signIn = (password: string, status: number) =>
  exchange("/api/session", {
    ts: 4_100,
    method: "POST",
    status,
    request: { body: JSON.stringify({ email: "ann@inn.example", password }) },
  });
const usual = run(fill("Password", "hush-1"), ...signIn("hush-1", 200), passing());

describe("a field that the test gave nothing", () => {
  test("is told before what was refused for that, without the secret that it gave before", () => {
    const failed = run(fill("Password", ""), ...signIn("", 401), failing());
    expect(first(failed, usual, usual)).toBe(
      "test_code: The test gave getByLabel('Password') an empty text, where it gave something in the last pass; POST /api/session, which was sent with the field password empty, where the last pass sent something, was answered with 401",
    );
    expect(told(failed, usual, usual).join()).not.toContain("hush-1");
  });

  test("is told before what was not sent for that", () => {
    const press = click("Click getByRole('button', { name: 'Sign in' })", { ts: 4_050, step_id: "press" });
    const pass = run(fill("Password", "hush-1"), press, ...signIn("hush-1", 200), passing());
    expect(first(run(fill("Password", ""), press, failing()), pass, pass)).toBe(
      "test_code: The test gave getByLabel('Password') an empty text, where it gave something in the last pass",
    );
  });

  test("is told with what it gave before where that is no secret", () => {
    const pass = run(fill("Room", "Blue"), passing());
    expect(first(run(fill("Room", ""), failing()), pass, pass)).toBe(
      "test_code: The test gave getByLabel('Room') an empty text, where it gave “Blue” in the last pass",
    );
  });

  test("explains no failure of a server, nor what was refused before", () => {
    const broken = run(fill("Password", ""), ...signIn("", 500), failing());
    expect(first(broken, usual, usual)).toStartWith("request_failed: POST /api/session");
    const before = exchange("/api/rooms", { ts: 3_900, status: 403 });
    const early = run(...before, fill("Password", ""), failing());
    expect(first(early, run(fill("Password", "hush-1"), passing()))).toStartWith(
      "request_failed: GET /api/rooms was answered with 403",
    );
  });
});
