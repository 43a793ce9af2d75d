import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, passing, run } from "../run.ts";

const POLL = "/socket.io/?EIO=4&transport=polling&sid=abc&t=Q8";
const said = (...packets: unknown[]) =>
  exchange(POLL, {
    ts: 2_000,
    media_type: "text/plain",
    body: packets.map((packet) => `42${JSON.stringify(packet)}`).join("\u001e"),
  });
const asked = click("Click getByRole('button', { name: 'Ask' })", { ts: 1_900 });
const hello = ["msg", { from: "bot", text: "Hello" }];
const answer = ["msg", { from: "bot", text: "It is on 14 May" }];
const check = {
  name: "toContainText",
  message: "expect(locator).toContainText(expected) failed",
  expected: '"It is on 14 May"',
  received: undefined,
};
const first = (failed: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
  causeOf(failed, ...passes).headline;

test("what a socket brings over plain requests is read as its messages", () => {
  const pass = run(asked, ...said(hello, answer), passing(check));
  expect(first(run(asked, ...said(hello), failing(check)), pass)).toBe(
    "The socket /socket.io/ (over polling) brought its messages of “msg” without “It is on 14 May”, which they have in the last pass",
  );
  const left = ["left", { nick: "bot" }];
  expect(
    first(
      run(asked, ...said(hello, answer), failing(check)),
      run(asked, ...said(hello, answer, left), passing(check)),
    ),
  ).toContain("The socket /socket.io/ (over polling) brought no message of “left” before the step gave up");
});

test("a missing message that has nothing of what the test looks for is less likely than one that has", () => {
  const board = { ...check, expected: '"Release in May"', received: '"Release in June"' };
  const sureOf = (text: string) => {
    const note = ["note", { text }];
    const pass = run(asked, ...said(hello, note), passing(board));
    const { suspects } = causeOf(run(asked, ...said(hello), failing(board)), pass, pass);
    expect(suspects[0]!.title).toContain("brought no message of “note”");
    return suspects[0]!.confidence;
  };
  expect(sureOf("ben has left")).toBeLessThan(0.7);
  expect(sureOf("the release is planned")).toBeGreaterThan(0.75);
});

test("the value that a socket's message brings in the place of the one that the test wants is told", () => {
  const topic = (text: string) => ["topic", { channel: "plans", topic: text }];
  const pass = (...list: unknown[]) => run(asked, ...said(...list), passing());
  expect(first(run(asked, ...said(topic("Checkout")), failing()), pass(topic("Thank you")))).toContain(
    "Checkout",
  );
  const users = (...names: string[]) => ["names", { users: names.map((nick) => ({ nick })) }];
  const counted = {
    name: "toHaveCount",
    message: "expect(locator).toHaveCount(expected) failed",
    expected: "3",
    received: "2",
  };
  const all = run(asked, ...said(users("ida", "ben", "zed")), passing(counted));
  expect(first(run(asked, ...said(users("ida", "ben")), failing(counted)), all, all)).toBe(
    "The socket /socket.io/ (over polling) brought “names” with 2 items for “users” instead of 3 items, without “zed”",
  );
  const empty = { ...check, expected: '"Release in May"', received: '""' };
  const told = run(asked, ...said(topic("Release in May")), passing(empty));
  expect(first(run(asked, ...said(topic("")), failing(empty)), told, told)).toContain("“topic”");
});

test("a switch that each pass's message has otherwise is told, a text that only differs is not", () => {
  const state = (chan: number, note: string) => ["topic", { chan, note }];
  const pass = run(asked, ...said(state(2, "a")), passing());
  expect(first(run(asked, ...said(state(1, "a")), failing()), pass, pass)).toBe(
    "The socket /socket.io/ (over polling) brought “topic” with “1” for “chan”, where the last pass had “2”",
  );
  expect(first(run(asked, ...said(state(2, "b")), failing()), pass, pass)).not.toContain("socket.io");
});

test("a message that is one of an error is told by its words", () => {
  const set = ["topic", { topic: "Thank you" }];
  const no = ["msg", { msg: { type: "error", text: "You're not a channel operator" } }];
  expect(first(run(asked, ...said(hello, no), failing()), run(asked, ...said(hello, set), passing()))).toBe(
    "The socket /socket.io/ (over polling) brought an error: “You're not a channel operator”, and no message of “topic”, which it has in the last pass",
  );
});

test("what carries a socket's messages may stay open, what sends one may not", () => {
  const open = (method: string) => ({
    kind: "network.request",
    request_id: "open",
    method,
    url: `http://shop.example${POLL}`,
    resource_type: "xhr",
    headers: [],
    ts: 4_000,
  });
  const usual = run(asked, ...exchange(POLL, { ts: 4_000, method: "POST", body: "ok" }), passing());
  expect(first(run(asked, open("POST"), failing()), usual)).toContain("was still pending");
  expect(first(run(asked, open("GET"), failing()), usual)).not.toContain("was still pending");
});
