import { describe, expect, test } from "bun:test";
import { numberedIn } from "../../../../../../server/trace/format/cause/run/socket-calls.ts";
import { causeOf, click, failing, passing, run, SITE } from "../run.ts";

const url = `${SITE.replace("http", "ws")}/socket.io/?transport=websocket`;
const socket = {
  kind: "network.request",
  request_id: "ws",
  method: "GET",
  url,
  resource_type: "websocket",
  headers: [],
  ts: 1_000,
};
const frame = (direction: "sent" | "received", ts: number, text: string) => ({
  kind: "network.websocket_frame",
  request_id: "ws",
  opcode: 1,
  direction,
  text,
  ts,
});
const save = click("Click getByRole('button', { name: 'Save' })", { ts: 3_000 });
const asked = frame("sent", 3_050, '427["addBerth",{"name":"Pier 4"}]');
const headline = (failed: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
  causeOf(failed, ...passes).headline;

describe("what is asked over a WebSocket", () => {
  const kept = run(
    socket,
    save,
    asked,
    frame("received", 3_090, '437[{"ok":true,"msg":"Added"}]'),
    passing(),
  );

  test("and refused is told with the server's words, with passes and without", () => {
    const refusal = frame("received", 3_090, '437[{"ok":false,"msg":"the harbour is full"}]');
    const failed = run(socket, save, asked, refusal, failing());
    const told =
      "The WebSocket /socket.io/?transport=websocket answered the call “addBerth” with a refusal: “the harbour is full”";
    expect(headline(failed, kept)).toBe(told);
    expect(headline(failed)).toBe(told);
  });

  test("and refused in the passes as well is no news", () => {
    const refusal = frame("received", 3_090, '437[{"ok":false,"msg":"the harbour is full"}]');
    const failed = run(socket, save, asked, refusal, failing());
    expect(headline(failed, run(socket, save, asked, refusal, passing()))).not.toContain("refusal");
  });

  test("and refused in other words than in the passes is told with both", () => {
    const no = (words: string) => frame("received", 3_090, `437[{"ok":false,"msg":"${words}"}]`);
    const failed = run(socket, save, asked, no("no room"), failing());
    expect(headline(failed, run(socket, save, asked, no("the harbour is full"), passing()))).toEndWith(
      "with a refusal: “no room”, where the last pass had “the harbour is full”",
    );
  });

  test("and never answered is told with how long it had waited", () => {
    expect(headline(run(socket, save, asked, failing()), kept)).toBe(
      "The WebSocket /socket.io/?transport=websocket had not answered the call “addBerth” after 4.0 s, when the step gave up",
    );
  });

  test("by GraphQL for what happens from now on is answered by nothing", () => {
    const ask = (payload: object) =>
      frame("sent", 2_000, JSON.stringify({ id: "1", type: "subscribe", payload }));
    const next = frame("received", 3_090, '{"id":"1","type":"next","payload":{"data":{}}}');
    const cause = (payload: object) =>
      headline(run(socket, ask(payload), failing()), run(socket, ask(payload), next, passing()));
    const silent = "had not answered the call";
    expect(cause({ query: "subscription Live { added { id } }" })).not.toContain(silent);
    expect(cause({ query: "fragment F on Note { id }\nsubscription { added { ...F } }" })).not.toContain(
      silent,
    );
    expect(cause({ extensions: { persistedQuery: { sha256Hash: "ab12" } } })).not.toContain(silent);
    expect(cause({ query: "query Notes { notes { id } }" })).toContain(silent);
  });

  test("and never answered in the passes either is a message, and no question", () => {
    const quiet = run(socket, save, asked, passing());
    expect(headline(run(socket, save, asked, failing()), quiet)).not.toContain("had not answered");
  });

  test("and answered with what the test met is told with both values", () => {
    const ask = frame("sent", 3_050, '{"jsonrpc":"2.0","id":"q1","method":"settings.read"}');
    const answer = (days: number) =>
      frame("received", 3_090, JSON.stringify({ jsonrpc: "2.0", id: "q1", result: { days } }));
    const failed = run(socket, save, ask, answer(180), failing({ expected: '"90"', received: '"180"' }));
    expect(headline(failed, run(socket, save, ask, answer(90), passing({ expected: '"90"' })))).toBe(
      "The WebSocket /socket.io/?transport=websocket answered the call “settings.read” with “180” for “result.days”, where the last pass had “90”",
    );
  });

  test("of JSON-RPC is refused by its error", () => {
    const ask = frame("sent", 3_050, '{"jsonrpc":"2.0","id":4,"method":"berth.add"}');
    const no = frame(
      "received",
      3_090,
      '{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"no berth left"}}',
    );
    expect(headline(run(socket, save, ask, no, failing()))).toContain(
      "answered the call “berth.add” with a refusal: “no berth left”",
    );
  });
});

test("a message that comes without what the test looks for is told with it", () => {
  const list = (...names: string[]) =>
    frame("received", 2_000, `42${JSON.stringify(["berths", names.map((name) => ({ name }))])}`);
  const check = {
    name: "toBeVisible",
    title: "Expect \"toBeVisible\" locator('.berth').filter({ hasText: 'Pier 4' })",
    message:
      "expect(locator).toBeVisible() failed\n\nLocator: locator('.berth').filter({ hasText: 'Pier 4' })\nExpected: visible\nError: element(s) not found",
    expected: "visible",
    received: undefined,
  };
  const failed = run(socket, list("Pier 1"), failing(check));
  expect(headline(failed, run(socket, list("Pier 1", "Pier 4"), passing(check)))).toBe(
    "The WebSocket /socket.io/?transport=websocket brought its messages of “berths” without “Pier 4”, which they have in the last pass",
  );
});

test("only frames that bear a number ask or answer", () => {
  expect(numberedIn('427["login",{}]', true)).toEqual({ id: "7", name: "login" });
  expect(numberedIn('42/admin,12["login"]', true)).toEqual({ id: "12", name: "login" });
  expect(numberedIn('437[{"ok":true}]', false)).toEqual({ id: "7", name: null });
  expect(numberedIn('42["heartbeat",{"id":1}]', true)).toBeNull();
  expect(numberedIn('{"id":1,"name":"Beacon"}', false)).toBeNull();
  expect(numberedIn("{not json", true)).toBeNull();
});
