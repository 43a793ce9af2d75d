import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const cookie = { name: "Cookie", value: "sid=1" };
const me = (ts: number, status = 200, request: object = { headers: [cookie] }) =>
  exchange("/api/me", { ts, status, body: "{}", request });
const leave = (...set: string[]) =>
  exchange("/api/session", {
    ts: 4_000,
    method: "DELETE",
    status: 204,
    request: { headers: [cookie] },
    headers: set.map((value) => ({ name: "Set-Cookie", value })),
  });
const usual = run(...me(3_000), ...leave("sid=; Path=/; Max-Age=0"), ...me(4_100, 401), passing());
const cause = (...events: Parameters<typeof run>) => told(run(...events, failing()), usual, usual).join("\n");

describe("whom a server still knows after a write that has every pass turned away", () => {
  test("is told with the write, and with the cookie that it did not take away", () => {
    expect(first(run(...me(3_000), ...leave(), ...me(4_100), failing()), usual, usual)).toBe(
      "storage: DELETE /api/session was answered with 204, but did not end the session, and did not take the cookie “sid” away: GET /api/me was still answered with 200 after it, where every pass gets 401",
    );
    expect(cause(...me(3_000), ...leave("sid=; Max-Age=0"), ...me(4_100))).toContain(
      "did not end the session: GET /api/me",
    );
  });

  test("is told of a sign-out where the page had asked before anybody was signed in", () => {
    const ended = (path: string) => exchange(path, { ts: 4_000, method: "POST", status: 204 });
    const visit = (path: string, status: number) => [...me(3_000, 401), ...ended(path), ...me(4_100, status)];
    const given = (path: string) => {
      const pass = run(...visit(path, 401), passing());
      return told(run(...visit(path, 200), failing()), pass, pass).join("\n");
    };
    expect(given("/api/auth/logout")).toContain(
      "POST /api/auth/logout was answered with 204, but did not end the session: GET /api/me",
    );
    expect(given("/api/auth/renew")).not.toContain("did not end the session");
  });

  test("is not where it was turned away, asked before, on another page, or after no such write", () => {
    const silent = (...events: Parameters<typeof run>) =>
      expect(cause(...events)).not.toContain("did not end the session");
    silent(...me(3_000), ...leave(), ...me(4_100, 401));
    silent(...me(3_000), ...me(3_900), ...leave());
    silent(...me(3_000), ...leave(), ...me(4_100, 200, { headers: [cookie], page: "two" }));
    silent(...me(3_000), ...me(4_100));
  });

  test("is not where a pass is known afterwards as well", () => {
    const known = run(...me(3_000), ...leave(), ...me(4_100), passing());
    const failed = run(...me(3_000), ...leave(), ...me(4_100), failing());
    expect(told(failed, usual, known).join()).not.toContain("did not end the session");
  });
});
