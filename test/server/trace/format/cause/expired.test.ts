import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

describe("what is refused as too old", () => {
  const code = (expiresIn: number, ts = 4_000) =>
    exchange("/auth/code", { ts, method: "POST", body: JSON.stringify({ sent: true, expiresIn }) });
  const signIn = (message: string, status = 410) =>
    exchange("/auth/session", { ts: 4_200, method: "POST", status, body: JSON.stringify({ message }) });
  const usual = run(...code(600), ...signIn("Welcome", 200), passing());

  test("is told with the answer that gave it another time to live", () => {
    expect(first(run(...code(0.06), ...signIn("The code has expired"), failing()), usual, usual)).toBe(
      "request_failed: POST /auth/session was answered with 410: The code has expired; POST /auth/code answered “0.06” for “expiresIn”, where the last pass had “600”",
    );
  });

  test("is refused for something else where it says so, or where that came later", () => {
    for (const failed of [
      run(...code(0.06), ...signIn("The code is wrong"), failing()),
      run(...signIn("The code has expired"), ...code(0.06, 4_400), failing()),
    ])
      expect(first(failed, usual, usual)).not.toContain("expiresIn");
  });
});
