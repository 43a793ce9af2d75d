import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

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

  test("is told of the first of several writes by one name, where the passes were given a later one", () => {
    const remove = (id: string, status: number) =>
      exchange(`/api/clients/${id}`, {
        ts: 4_000,
        method: "DELETE",
        status,
        body: status === 409 ? '{"message":"1 open invoice"}' : "",
      });
    const pass = (one: string, other: string) =>
      run(...list(3), ...remove(one, 409), ...remove(other, 204), passing());
    const usual = [pass("cl_7a1b2c3d", "cl_7a1b2c3e"), pass("cl_8a1b2c3d", "cl_8a1b2c3e")];
    const said =
      "DELETE /api/clients/cl_9a1b2c3d was answered with 204, where the last pass got 409: “1 open";
    expect(first(run(...list(2), ...remove("cl_9a1b2c3d", 204), missing), ...usual)).toContain(said);
    // The second one is given in the passes as well.
    const second = run(...list(2), ...remove("cl_9a1b2c3c", 409), ...remove("cl_9a1b2c3d", 204), missing);
    expect(told(second, ...usual).join()).not.toContain("was answered with 204");
  });
});
