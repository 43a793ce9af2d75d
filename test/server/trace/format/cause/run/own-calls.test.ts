import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, run } from "../run.ts";

const fetched = (more: object = {}) =>
  click("POST /api/session", {
    name: "request.fetch",
    ts: 2_000,
    duration_ms: 800,
    step_id: "call",
    ...more,
  });
const check = { name: "toBeTruthy", ts: 2_805, duration_ms: 1, expected: undefined, received: "false" };
const said = (call: ReturnType<typeof fetched>) => {
  const [request, answer] = exchange("/api/session", {
    method: "POST",
    status: 401,
    resource_type: "api",
  });
  const asked = { ...request!, ts: 2_060 };
  return first(run(call, asked, failing(check), { ...answer!, ts: 2_870 }));
};

describe("what a test asked for by itself", () => {
  test("was answered by when its call was done, though the answer's end is noted later", () => {
    expect(said(fetched())).toStartWith("request_failed: POST /api/session was answered with 401");
  });

  test("is still open where another call was done by then, or it has not come to an end", () => {
    expect(said(fetched({ title: "POST /api/others" }))).toContain("still pending");
    expect(said(fetched({ duration_ms: 10 }))).toContain("still pending");
  });
});
