import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const order = (id: string, ts: number, status: number, key?: string) =>
  exchange("/api/orders", {
    ...{ ts, status, method: "POST", media_type: "application/json" },
    body: JSON.stringify({ id, state: "pending" }),
    request: {
      body: '{"hold":"h1"}',
      headers: key === undefined ? [] : [{ name: "idempotency-key", value: key }],
    },
  });
const state = (body: object) =>
  exchange("/api/state", { ts: 4_500, media_type: "application/json", body: JSON.stringify(body) });
const twice = (second: string, status: number, key?: string) => [
  ...order("ord-31a7", 3_000, 201, key),
  ...order(second, 4_000, status, key),
];
const paid = (second = "ord-92c4") => run(...twice(second, 201), ...state({ status: "paid" }), passing());

test("a write that is answered with what an earlier one had made leads before what is read later", () => {
  const failed = (second: string, status = 200, key?: string) =>
    run(...twice(second, status, key), ...state({ status: "failed" }), failing());
  const same =
    "answer_changed: POST /api/orders was answered with 200, where every pass got 201: it came with “ord-31a7” for “id” again, which an earlier one had made";
  expect(first(failed("ord-31a7"), paid(), paid())).toStartWith(same);
  for (const events of [failed("ord-55e1"), failed("ord-31a7", 200, "k1")])
    expect(told(events, paid(), paid()).join()).not.toContain("which an earlier one had made");
  // Where passes get the same one again, it is meant so.
  expect(told(failed("ord-31a7"), paid("ord-31a7"), paid("ord-31a7")).join()).not.toContain(
    "which an earlier one had made",
  );
});

test("an answer that says in no words what failed is told by its field", () => {
  expect(told(run(...state({ status: "failed" }), failing()), paid()).join("\n")).toContain(
    "GET /api/state was answered with 200, but has “failed” for “status”",
  );
  expect(told(run(...state({ ok: false }), failing()), paid()).join("\n")).toContain(
    "GET /api/state was answered with 200, but has “false” for “ok”",
  );
});
