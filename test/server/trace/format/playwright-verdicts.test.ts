import { expect, test } from "bun:test";
import { isErrorEvent, type TraceEvent } from "../../../../server/trace/format/event.ts";
import { after, before, lines, options, read } from "./playwright-harness.ts";

const runner = { ...options, origin: "testRunner", browserName: "" };
const step = (callId: string, at: number, more: Record<string, unknown> = {}) =>
  before(callId, at, { class: "Test", method: "test.step", params: {}, ...more });
const error = (message: string, more: Record<string, unknown> = {}) => ({ type: "error", message, ...more });

const entry = (url: string, at: number, more: Record<string, unknown> = {}) => ({
  type: "resource-snapshot",
  snapshot: {
    _monotonicTime: at,
    startedDateTime: "2023-11-14T22:13:20.000Z",
    time: 10,
    request: { method: "GET", url, headers: [] },
    response: { status: 200, headers: [], content: {} },
    ...more,
  },
});

test("a test that ran out of time fails in the step that hung, not in a fixture that was torn down after it", async () => {
  const { result } = await read({
    "test.trace": lines(
      runner,
      step("s@1", 1100, { title: "wait for the queue" }),
      step("s@2", 5000, { method: "hook", title: "After Hooks" }),
      step("s@3", 5001, { method: "fixture", title: 'Fixture "page"', parentId: "s@2" }),
      after("s@3", 5100, { error: { message: "Tearing down took too long" } }),
      after("s@2", 5101, { error: { message: "Tearing down took too long" } }),
      error("Test timeout of 3000ms exceeded."),
    ),
  });
  expect(result.failure).toEqual({ step_id: "s@1", message: "Test timeout of 3000ms exceeded." });
});

test("a call that the test's end cut off is the one that failed, with the log of its error, and not the step around it", async () => {
  const message =
    "Error: locator.click: Test timeout of 3000ms exceeded.\nCall log:\n  - element is not enabled";
  const { events, result } = await read({
    "test.trace": lines(
      runner,
      step("s@1", 1100, { title: "approve" }),
      step("s@2", 1110, { method: "pw:api", title: "Click", parentId: "s@1" }),
      error("Test timeout of 3000ms exceeded."),
      step("s@3", 4000, { method: "hook", title: "After Hooks" }),
      after("s@3", 4100),
      after("s@1", 5000, { error: { message } }),
      error(message),
    ),
  });
  expect(result.failure?.step_id).toBe("s@2");
  const click = events.find(({ step_id }) => step_id === "s@2");
  expect(click?.log).toEqual(["element is not enabled"]);
  expect(click?.duration_ms).toBe(2890);
});

test("an error that no step ended in keeps its stack, and is not blamed on a step that was caught before", async () => {
  const stack = [{ file: "/work/helpers/cart.ts", line: 3, column: 16, function: "seedCart" }];
  const { result } = await read({
    "test.trace": lines(
      runner,
      step("s@1", 1100, { method: "expect", title: 'Expect "toHaveText"' }),
      after("s@1", 1200, { error: { message: "caught" } }),
      error("TypeError: cart is undefined", { stack }),
    ),
  });
  expect(result.failure).toEqual({ step_id: null, message: "TypeError: cart is undefined", stack });
});

test("a call that was going on when the test ran out of time takes the test's own error, but one of a fixture does not", async () => {
  const files = (first: Record<string, unknown>) => ({
    "test.trace": lines(
      runner,
      step("s@1", 1100, first),
      step("s@2", 1110, { method: "pw:api", title: "Select option", parentId: "s@1" }),
      error("Test timeout of 3000ms exceeded."),
      step("s@3", 4000, { method: "hook", title: "After Hooks" }),
      after("s@3", 4100),
    ),
  });
  const { events, result } = await read(files({ title: "pick" }));
  expect(result.failure).toEqual({ step_id: "s@2", message: "Test timeout of 3000ms exceeded." });
  expect(events.find(({ step_id }) => step_id === "s@2")).toMatchObject({
    error: { message: "Test timeout of 3000ms exceeded." },
    duration_ms: 2890,
  });
  const fixture = await read(files({ method: "fixture", title: 'Fixture "ready"' }));
  expect(fixture.events.find(({ step_id }) => step_id === "s@2")?.error).toBeUndefined();
});

test("a step without a stack is placed where its error was thrown, with the sources that the archive has", async () => {
  const message = "Error: Not an amount";
  const frame = { file: "/work/pages/cart.ts", line: 17, column: 12 };
  const { events } = await read(
    {
      "test.trace": lines(
        runner,
        step("s@1", 1100, { title: "add up", stack: [] }),
        after("s@1", 1200, { error: { message } }),
        error(message, { stack: [{ file: "/work/helpers/money.ts", line: 3, column: 21 }, frame] }),
      ),
    },
    { [`src/${new Bun.CryptoHasher("sha1").update(frame.file).digest("hex")}.ts`]: "a".repeat(64) },
  );
  expect(events.find(({ step_id }) => step_id === "s@1")?.stack).toEqual([
    { file: "/work/helpers/money.ts", line: 3, column: 21 },
    { ...frame, source: `sha256:${"a".repeat(64)}` },
  ]);
});

test("toPass and expect.poll are one step; what they try inside is no failure", async () => {
  const { events, result } = await read({
    "test.trace": lines(
      runner,
      step("s@1", 1100, { method: "expect", title: 'Expect "toPass"' }),
      step("s@2", 1110, { method: "expect", title: 'Expect "toHaveText"', parentId: "s@1" }),
      after("s@2", 1120, { error: { message: "not yet" } }),
      step("s@3", 1130, { method: "expect", title: 'Expect "toHaveText"', parentId: "s@1" }),
      after("s@3", 1140, { error: { message: "not yet" } }),
      after("s@1", 1150, { error: { message: "not yet" } }),
      error("not yet"),
    ),
  });
  expect(result.failure?.step_id).toBe("s@1");
  const failed = events.filter((event) => isErrorEvent({ seq: 1, ...event } as TraceEvent));
  expect(failed.map(({ step_id }) => step_id)).toEqual(["s@1"]);
});

test("a connection that closed before the run went on is told as closed", async () => {
  const socket = (url: string, at: number) => entry(url, at, { _resourceType: "websocket", time: 0 });
  const closedBefore = async (size: number) => {
    const { events } = await read({
      "1-trace.trace": lines(options),
      "1-trace.network": lines(
        socket("ws://a.example/closed", 1100),
        entry("http://a.example/later", 1500, { response: { status: 200, headers: [], content: { size } } }),
        socket("ws://a.example/open", 1200),
      ),
    });
    const closed = events.filter(({ kind }) => kind === "network.websocket_frame");
    return closed.map(({ request_id, opcode }) => [request_id, opcode]);
  };
  expect(await closedBefore(12)).toEqual([["req_1", 8]]);
  // An answer whose body no page read is written at the end, among what is still open.
  expect(await closedBefore(-1)).toEqual([]);
  const open = entry("http://a.example/poll", 1050, {
    time: -1,
    response: { status: -1, headers: [], content: {} },
  });
  const unanswered = await read({
    "1-trace.trace": lines(options),
    "1-trace.network": lines(
      socket("ws://a.example/closed", 1100),
      open,
      socket("ws://a.example/open", 1200),
    ),
  });
  const ended = unanswered.events.filter(({ kind }) => kind === "network.websocket_frame");
  expect(ended.map(({ request_id }) => request_id)).toEqual(["req_1"]);
  const broken = await read({
    "1-trace.trace": lines(options),
    "1-trace.network": lines(
      socket("ws://a.example/live", 1200),
      entry("http://a.example/events", 1100, {
        time: 200,
        _failureText: "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
      }),
    ),
  });
  expect(broken.events.filter(({ kind }) => kind === "network.websocket_frame")).toEqual([]);
});

test("an expectation of an older release that was not met and ended without an error makes a run without a runner failed", async () => {
  const expecting = (isNot: boolean, matches: boolean) =>
    read({
      "trace.trace": lines(
        options,
        before("c@1", 1100, {
          method: "expect",
          params: { selector: "h1", expression: "to.be.visible", isNot },
        }),
        after("c@1", 1200, { result: { matches, timedOut: true } }),
      ),
    });
  const statuses = await Promise.all(
    [
      [false, false],
      [true, true],
      [false, true],
      [true, false],
    ].map(async ([isNot, matches]) => (await expecting(isNot!, matches!)).result.status),
  );
  expect(statuses).toEqual(["failed", "failed", "passed", "passed"]);
});

test("the address of a server is left out where a browser answered with its own copy", async () => {
  const cart = (at: number, transferred: number) =>
    entry("https://shop.example/api/cart", at, {
      serverIPAddress: "127.0.0.1",
      response: { status: 200, headers: [], content: { size: 32 }, _transferSize: transferred },
    });
  const { events } = await read({
    "trace.trace": lines(options, before("c@1", 1_050), after("c@1", 1_400)),
    "trace.network": lines(cart(1_100, 328), cart(1_200, 0)),
  });
  const answers = events.filter(({ kind }) => kind === "network.response");
  expect(answers.map(({ server_ip }) => server_ip)).toEqual(["127.0.0.1", undefined]);
});
