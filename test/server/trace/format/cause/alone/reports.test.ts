import { expect, test } from "bun:test";
import { click, exchange, failing, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

/** What a page sends of its own accord, whatever the address is called. */
const at = (ts: number) => 1_000_000 + ts;
const sent = (url: string, body: unknown, more: Record<string, unknown>) =>
  exchange(url, { method: "POST", request: { body: JSON.stringify(body) }, status: 204, ...more });
const view = (ts: number, more: Record<string, unknown> = {}, besides: object = {}) =>
  sent("/api/events", { name: "view", at: at(ts), session: "5h6tp2ojala", ...besides }, { ts, ...more });
const BUSY = { status: 503, body: '{"error":"busy"}', media_type: "application/json" };
const SAVE = click("Click Save", { ts: 4_000 });
const order = json("/api/orders", { items: [{ id: "o_77", state: "open" }] }, { ts: 1_000 });

test("a report that a page sends at every turn and that nothing comes back for is not told as the cause", () => {
  const busy = view(4_800, BUSY);
  expect(first(run(...view(2_000), SAVE, ...busy, failing()))).toStartWith("assertion:");
  expect(
    first(run(...view(2_000), SAVE, ...view(4_800, BUSY, { path: "/orders", userId: "u_1" }), failing())),
  ).toStartWith("assertion:");
});

test("what was sent once, brings something, names a thing, or has what the test typed is no report", () => {
  const isTold = (...events: Parameters<typeof run>) =>
    expect(first(run(...events, failing()))).toStartWith("request_failed: POST /api/events");
  isTold(SAVE, ...view(4_800, BUSY));
  isTold(...view(2_000, { status: 200, body: '{"id":1}' }), SAVE, ...view(4_800, BUSY));
  isTold(...order, ...view(2_000), SAVE, ...view(4_800, BUSY, { order: "o_77" }));
  const typed = click("Fill Note", { ts: 3_900, name: "fill", params: { value: "Call back" } });
  isTold(...view(2_000), typed, SAVE, ...view(4_800, BUSY, { note: "Call back" }));
  isTold(
    ...sent("/api/events", { name: "Fair" }, { ts: 2_000 }),
    SAVE,
    ...sent("/api/events", { name: "Fair" }, { ts: 4_800, ...BUSY }),
  );
});

test("a value that the page shows was not to be asked for again after a report", () => {
  const steps = [...view(2_000), SAVE, ...view(4_800)];
  const state = json("/api/orders", { state: "Open" }, { ts: 1_000 });
  const failed = failing({ expected: '"Sent"', received: '"Open"' });
  expect(told(run(...state, ...steps, failed)).join()).not.toContain("after POST /api/events");
});
