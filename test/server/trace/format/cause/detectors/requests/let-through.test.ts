import { describe, expect, test } from "bun:test";
import { click, exchange, failing, passing, run, told } from "../../run.ts";

const signIn = (ts: number, password: string, status: number) =>
  exchange("/login", {
    ts,
    method: "POST",
    status,
    request: {
      body: `email=Mara%40shop.example&password=${password}`,
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
    ...(status === 422 && {
      media_type: "application/json",
      body: JSON.stringify({ error: "Not correct." }),
    }),
  });
const go = click("Click Sign in", { ts: 4_000 });
const usual = run(...signIn(3_000, "wrong", 422), go, ...signIn(4_100, "right", 200), passing());
const cause = (...events: Parameters<typeof run>) =>
  told(run(...events, failing()), usual, usual).filter((title) => title.includes("/login"));

describe("a sign-in that every pass is refused first and then let through", () => {
  test("is news where the second one is refused, with the very same as the passes sent", () => {
    expect(cause(...signIn(3_000, "wrong", 422), go, ...signIn(4_100, "right", 422))[0]).toBe(
      "request_failed: POST /login was answered with 422: Not correct; the last pass sent the very same, and was answered with 200",
    );
  });

  test("is told without the passes' where another secret was sent, and is no news where the first one is refused", () => {
    expect(cause(...signIn(3_000, "wrong", 422), go, ...signIn(4_100, "other", 422))[0]).toBe(
      "request_failed: POST /login was answered with 422: Not correct.",
    );
    expect(cause(...signIn(3_000, "wrong", 422), go, ...signIn(4_100, "right", 200))).toEqual([]);
  });
});
