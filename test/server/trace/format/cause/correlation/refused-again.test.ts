import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../run.ts";

const rooms = (ts: number, token: string, status: number, url = "/api/rooms") =>
  exchange(url, {
    ts,
    status,
    body: status === 200 ? '["Blue room"]' : "{}",
    request: { headers: [{ name: "authorization", value: `Bearer ${token}` }] },
  });
const renewed = (ts: number, more: object = {}) =>
  exchange("/api/session/renew", { ts, method: "POST", body: '{"accessToken":"at_2"}', ...more });
const failed = (...events: Parameters<typeof run>) => run(...events, failing());
const usual = run(...rooms(3_000, "at_1", 401), ...renewed(3_100), ...rooms(3_200, "at_2", 200), passing());
const isTold = (...events: Parameters<typeof run>) =>
  told(failed(...events), usual)
    .join()
    .includes("old token");

describe("a request with a token that had been refused", () => {
  test("is told where an answer in between had given a new one", () => {
    const again = failed(...rooms(3_000, "at_1", 401), ...renewed(3_100), ...rooms(3_200, "at_1", 401));
    const told =
      "storage: GET /api/rooms was sent again with the old token that had been refused already, though POST /api/session/renew had given a new one by then; it was answered with 401 as well";
    expect(first(again, usual)).toBe(told);
    expect(first(again)).toBe(told);
  });

  test("is told of another request as well", () => {
    const other = rooms(3_200, "at_1", 401, "/api/guests");
    expect(first(failed(...rooms(3_000, "at_1", 401), ...renewed(3_100), ...other), usual)).toContain(
      "GET /api/guests was sent with the old token",
    );
  });

  test("is nothing where no new one had come by then, or the new one is refused", () => {
    expect(isTold(...rooms(3_000, "at_1", 401), ...rooms(3_200, "at_1", 401))).toBe(false);
    expect(isTold(...rooms(3_000, "at_1", 401), ...renewed(3_100), ...rooms(3_200, "at_2", 401))).toBe(false);
    expect(
      isTold(...rooms(3_000, "at_1", 401), ...renewed(3_100, { status: 401 }), ...rooms(3_200, "at_1", 401)),
    ).toBe(false);
    expect(
      isTold(...rooms(3_000, "at_1", 401), ...renewed(3_100, { body: "{}" }), ...rooms(3_200, "at_1", 401)),
    ).toBe(false);
  });

  test("is nothing where it was sent anew in the end and went well", () => {
    const late = [...rooms(3_200, "at_1", 401), ...rooms(3_300, "at_2", 200)];
    expect(isTold(...rooms(3_000, "at_1", 401), ...renewed(3_100), ...late)).toBe(false);
  });
});
