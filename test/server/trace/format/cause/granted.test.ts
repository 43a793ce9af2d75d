import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

const save = (phone: string, status: number, body: object = {}) =>
  exchange("/api/profile", {
    ts: 4_000,
    method: "PUT",
    status,
    media_type: "application/json",
    request: { body: JSON.stringify({ phone }) },
    body: JSON.stringify(body),
  });
const list = (count: number) =>
  exchange("/api/list", {
    ts: 3_900,
    body: JSON.stringify({ rows: Array.from({ length: count }, () => "a") }),
  });
const refused = (status = 422) =>
  run(
    ...list(2),
    ...save("call me", status, { message: "Not valid", errors: { phone: ["is no number"] } }),
    passing(),
  );
const missing = failing({ expected: undefined, received: undefined });

describe("what every pass was refused and this run was given", () => {
  test("is told first where the same was sent, with what the passes were told", () => {
    const failed = run(...list(0), ...save("call me", 200), missing);
    expect(first(failed, refused(), refused())).toBe(
      "answer_changed: PUT /api/profile was answered with 200, where the last pass got 422: “Not valid: phone is no number”",
    );
  });

  test("tells less where something else was sent, or the passes' server could do nothing", () => {
    const other = run(...list(0), ...save("+49 341 12", 200), missing);
    expect(first(other, refused(), refused())).not.toContain("was answered with 200");
    const failed = run(...list(0), ...save("call me", 200), missing);
    for (const status of [429, 503])
      expect(first(failed, refused(status), refused(status))).not.toContain("was answered with 200");
  });
});
