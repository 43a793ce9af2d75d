import { describe, expect, test } from "bun:test";
import { exchange, failing, page, run } from "../run.ts";
import { json, told } from "./scene.ts";

test("an error that a socket brought is told in its own words", () => {
  const [opened, answered] = exchange("ws://shop.example/live", {
    resource_type: "websocket",
    ts: 1_000,
    status: 101,
  });
  const says = (text: string) => ({
    kind: "network.websocket_frame",
    request_id: opened!.request_id,
    direction: "received",
    opcode: 1,
    text,
    ts: 4_900,
  });
  const heard = (text: string) => told(run(opened!, answered!, says(text), failing()));
  expect(heard('{"type":"error","message":"Only members may read"}')[0]).toBe(
    "answer_changed: The WebSocket /live brought an error: “Only members may read”",
  );
  expect(heard('{"type":"comment","message":"an error"}').join()).not.toContain("brought an error");
});

describe("a thing that a socket told of by its id", () => {
  const confirmed = json(
    "/transfers/t1/confirm",
    { id: "t1", status: "PENDING" },
    { ts: 3_000, method: "POST" },
  );
  const cause = (message: object, more: { ts?: number; shown?: string; at?: number } = {}) => {
    const { ts = 4_000, shown = "Pending", at = 6_990 } = more;
    const [opened, answered] = exchange("ws://shop.example/live", {
      resource_type: "websocket",
      ts: 1_000,
      status: 101,
    });
    const frame = {
      kind: "network.websocket_frame",
      request_id: opened!.request_id,
      direction: "received",
      opcode: 1,
      text: JSON.stringify(message),
      ts,
    };
    const check = failing({ expected: '"Settled"', received: `"${shown}"` });
    const events = [opened!, answered!, ...(ts < 3_000 ? [frame, ...confirmed] : [...confirmed, frame])];
    return told(run(...events, check, page(`<p>${shown}</p>`, { ts: at }))).join("\n");
  };
  const done = { type: "transfer.completed", id: "t1" };

  test("is told where the page goes on showing what an answer had", () => {
    expect(cause(done)).toStartWith(
      "answer_changed: The WebSocket /live brought a message of type “transfer.completed” for “t1”, and the page still shows what POST /transfers/t1/confirm had answered before (“Pending”): the test wants “Settled”",
    );
  });

  test("is not told of another thing, of what came before or says the same, or of a page from before it", () => {
    for (const said of [
      cause({ ...done, id: "t2" }),
      cause({ type: "tick", at: "t1" }),
      cause(done, { ts: 2_000 }),
      cause({ ...done, status: "pending" }),
      cause(done, { shown: "Draft" }),
      cause(done, { at: 3_500 }),
    ])
      expect(said).not.toContain("still shows what");
  });
});
