import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../run.ts";

const rooms = (ts: number, token: string, status: number) =>
  exchange("/api/rooms", {
    ts,
    status,
    body: status === 200 ? '["Blue room"]' : "{}",
    request: { headers: [{ name: "authorization", value: `Bearer ${token}` }] },
  });
const renewed = (ts: number, field: string, more: object = {}) =>
  exchange("/api/session/renew", {
    ts,
    method: "POST",
    body: JSON.stringify({ [field]: "at_2", expiresIn: 900 }),
    ...more,
  });
const usual = run(
  ...rooms(3_000, "at_1", 401),
  ...renewed(3_100, "accessToken"),
  ...rooms(3_200, "at_2", 200),
  passing(),
);
const failed = (...events: ReturnType<typeof exchange>) => run(...events, failing());
const sent = "storage: GET /api/rooms was sent with “Bearer undefined” and answered with 401";

describe("a request that has no value in the place of its token", () => {
  test("is told with the answer that had given one by another name", () => {
    const again = failed(
      ...rooms(3_000, "at_1", 401),
      ...renewed(3_100, "access_token"),
      ...rooms(3_200, "undefined", 401),
      ...renewed(3_300, "access_token"),
      ...rooms(3_400, "undefined", 401),
    );
    const given = `${sent}, though POST /api/session/renew had given a token as “access_token”`;
    expect(first(again, usual)).toBe(`${given}, which is “accessToken” in the last pass`);
    expect(first(again)).toStartWith(given);
    expect(told(again, usual).join()).not.toContain("old token");
  });

  test("is told where a script did not take the token by the name that it has", () => {
    const again = failed(...renewed(3_100, "accessToken"), ...rooms(3_200, "undefined", 401));
    expect(first(again, usual)).toBe(
      `${sent}, though POST /api/session/renew had given a token as “accessToken”`,
    );
  });

  test("is nothing where none was given, or it was let through", () => {
    for (const events of [
      rooms(3_000, "null", 401),
      [...rooms(3_000, "null", 401), ...renewed(3_100, "accessToken")],
      [...renewed(3_100, "accessToken", { status: 401 }), ...rooms(3_200, "null", 401)],
      [...renewed(3_100, "accessToken"), ...rooms(3_200, "null", 200)],
    ])
      expect(told(failed(...events), usual).join()).not.toContain("had given a token");
  });
});
