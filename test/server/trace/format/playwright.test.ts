import { describe, expect, test } from "bun:test";
import { after, before, lines, options, read } from "./playwright-harness.ts";

const HASH = "a".repeat(64);

describe("what an archive becomes", () => {
  test("times are on the wall clock, in whole milliseconds", async () => {
    const { events, result } = await read({
      "trace.trace": lines(options, before("c@1", 1500.4), after("c@1", 1600.9)),
    });
    expect(events.map(({ ts, duration_ms }) => [ts, duration_ms])).toEqual([[1_700_000_000_500, 100.5]]);
    expect(result.startedAt).toBe(1_700_000_000_000);
    expect(result.endedAt).toBe(1_700_000_000_601);
  });

  test("events of several files come in one order of time", async () => {
    const second = { ...options, monotonicTime: 0 };
    const message = (time: number, text: string) => ({ type: "console", messageType: "log", text, time });
    const { events } = await read({
      "0-trace.trace": lines(options, message(1010, "second"), message(1030, "fourth")),
      "1-trace.trace": lines(second, message(5, "first"), message(20, "third")),
    });
    expect(events.map(({ text }) => text)).toEqual(["first", "second", "third", "fourth"]);
  });

  test("a context that tests share leaves out what ended before the recording of this one began", async () => {
    const asked = (path: string, time: number, status = 200) => ({
      type: "resource-snapshot",
      snapshot: {
        startedDateTime: "2023-11-14T22:13:20.000Z",
        _monotonicTime: time,
        time: 50,
        request: { method: "GET", url: `http://shop.example${path}`, headers: [] },
        response: { status, headers: [], content: {} },
      },
    });
    const message = (text: string, time: number) => ({ type: "console", messageType: "error", text, time });
    const thrown = (text: string, time: number) => ({
      ...{ type: "event", method: "pageError", time },
      params: { error: { error: { message: text, name: "Error", stack: "" } } },
    });
    const { events } = await read({
      "trace.trace": lines(
        options,
        message("said by the test before", 400),
        thrown("thrown in the test before", 500),
        before("c@1", 1100),
        message("said here", 1150),
        after("c@1", 1200),
      ),
      "trace.network": lines(
        asked("/before", 900),
        asked("/on-the-way", 980),
        asked("/unanswered", 600, -1),
        asked("/here", 1120),
      ),
    });
    expect(events.flatMap(({ kind, url }) => (kind === "network.request" ? [url] : []))).toEqual(
      ["/unanswered", "/on-the-way", "/here"].map((path) => `http://shop.example${path}`),
    );
    const errors = events.filter(({ kind }) => kind === "console.error");
    expect(errors.map(({ text }) => text)).toEqual(["said here"]);
  });

  test("an event falls into the innermost step that runs, else into the one begun last", async () => {
    const message = (time: number) => ({ type: "console", messageType: "log", text: `at ${time}`, time });
    const { events } = await read({
      "trace.trace": lines(
        options,
        before("outer", 1100),
        before("inner", 1200, { parentId: "outer" }),
        message(1250),
        after("inner", 1300),
        message(1350),
        after("outer", 1400),
        message(1450),
        message(1050),
      ),
    });
    const told = events.filter(({ kind }) => kind === "console.log");
    expect(told.map(({ text, step_id }) => [text, step_id])).toEqual([
      ["at 1050", undefined],
      ["at 1250", "inner"],
      ["at 1350", "outer"],
      ["at 1450", "inner"],
    ]);
  });

  test("a runner step and the library call it made are one action", async () => {
    const { events } = await read({
      "test.trace": lines(
        { ...options, origin: "testRunner", browserName: "" },
        { type: "before", callId: "s@1", startTime: 1100, class: "Test", method: "test.step", title: "Pay" },
        {
          ...before("s@2", 1110),
          class: "Test",
          method: "pw:api",
          title: "Click",
          subtitle: "locator('#pay')",
          parentId: "s@1",
        },
        after("s@2", 1200),
        after("s@1", 1210),
      ),
      "0-trace.trace": lines(
        options,
        before("s@2", 1120),
        { type: "log", callId: "s@2", time: 1130, message: "  waiting for locator('#pay')" },
        { type: "input", callId: "s@2", point: { x: 3, y: 4 } },
        after("s@2", 1190),
      ),
    });
    expect(events).toMatchObject([
      { step_id: "s@1", name: "Pay", category: "test.step", duration_ms: 110 },
      {
        step_id: "s@2",
        parent_step_id: "s@1",
        name: "page.click",
        title: "Click locator('#pay')",
        duration_ms: 90,
        log: ["  waiting for locator('#pay')"],
        point: { x: 3, y: 4 },
      },
    ]);
  });

  test("an expect is one assertion with what was expected and received, its log apart from its message", async () => {
    const message =
      'Error: \u001b[2mexpect(\u001b[22mlocator).toHaveText(expected) failed\n\nExpected: \u001b[32m"1"\u001b[39m\nReceived: "2"\n\nCall log:\n  - waiting for locator(\'#count\')\n';
    const { events } = await read({
      "trace.trace": lines(
        options,
        before("c@1", 1100, {
          method: "expect",
          title: 'Expect "toHaveText"',
          params: { selector: "#count" },
        }),
        after("c@1", 1200, { error: { message, stack: `${message}\n    at shop.spec.ts:5:40` } }),
      ),
    });
    expect(events).toMatchObject([
      {
        kind: "assertion",
        ok: false,
        name: "toHaveText",
        message: 'expect(locator).toHaveText(expected) failed\n\nExpected: "1"\nReceived: "2"',
        expected: '"1"',
        received: '"2"',
        log: ["waiting for locator('#count')"],
        error: { stack: "    at shop.spec.ts:5:40" },
      },
    ]);
  });

  test("an expect says by which attribute it looks for test ids where the suite has set one of its own", async () => {
    const asked = (at: number, selector: string) => [
      before(`c@${at}`, 1000 + at * 100, { method: "expect", params: { selector } }),
      after(`c@${at}`, 1050 + at * 100),
    ];
    const { events } = await read({
      "trace.trace": lines(
        options,
        ...asked(1, 'internal:testid=[data-test="total"s]'),
        ...asked(2, 'internal:testid=[data-testid="total"s]'),
        ...asked(3, "#total"),
      ),
    });
    expect(events.map(({ test_id_attribute }) => test_id_attribute as string | undefined)).toEqual([
      "data-test",
      undefined,
      undefined,
    ]);
  });

  test("a call that reads the page says what it gave the test; handles and what scripts give are none of it", async () => {
    const reads = (at: number, method: string, result: object) => [
      before(`c@${at}`, 1000 + at * 100, { method }),
      after(`c@${at}`, 1050 + at * 100, { result }),
    ];
    const { events } = await read({
      "trace.trace": lines(
        options,
        ...reads(1, "queryCount", { value: 0 }),
        ...reads(2, "textContent", { value: "" }),
        ...reads(3, "isVisible", { value: false }),
        ...reads(4, "innerHTML", { value: "x".repeat(5_000) }),
        ...reads(5, "evaluateExpression", { value: { s: "of a script" } }),
        ...reads(6, "querySelector", { element: "<ElementHandle>" }),
      ),
    });
    const given = events.map(({ returned }) => returned as string | undefined);
    expect(given.slice(0, 3) as unknown[]).toEqual([0, "", false]);
    expect(given[3]?.length).toBeLessThanOrEqual(1_000);
    expect(given.slice(4)).toEqual([undefined, undefined]);
  });

  test("a call that picks in a list says the values of what it picked, whatever it picked by", async () => {
    const { events } = await read({
      "trace.trace": lines(
        options,
        before("c@1", 1100, { method: "selectOption", params: { options: [{ label: "Euro" }] } }),
        after("c@1", 1150, { result: { values: ["EUR"] } }),
        before("c@2", 1200, { method: "inputValues" }),
        after("c@2", 1250, { result: { values: ["EUR"] } }),
      ),
    });
    expect(events.map(({ picked }) => picked as string[] | undefined)).toEqual([["EUR"], undefined]);
  });

  test("bodies, pictures and attachments that the archive holds become references", async () => {
    const blobs = { "resources/b.json": HASH, "screencast/p.jpeg": HASH, "attachments/x": HASH };
    const { events, warnings } = await read(
      {
        "trace.trace": lines(
          options,
          before("c@1", 1100),
          after("c@1", 1200, {
            attachments: [{ name: "cart", contentType: "application/json", file: "attachments/x" }],
          }),
          {
            type: "screencast-frame",
            pageId: "p",
            file: "screencast/p.jpeg",
            width: 8,
            height: 6,
            timestamp: 1150,
          },
          {
            type: "screencast-frame",
            pageId: "p",
            file: "screencast/lost.jpeg",
            width: 8,
            height: 6,
            timestamp: 1160,
          },
        ),
        "trace.network": lines({
          type: "resource-snapshot",
          snapshot: {
            _monotonicTime: 1120,
            time: 25,
            request: { method: "POST", url: "http://shop/api", headers: [], postData: { text: '{"a":1}' } },
            response: {
              status: 500,
              headers: [{ name: "content-type", value: "application/json" }],
              content: { size: 9, mimeType: "application/json", _file: "resources/b.json" },
            },
            timings: { dns: -1, wait: 20, receive: 5 },
          },
        }),
      },
      blobs,
    );
    expect(events).toMatchObject([
      {
        kind: "agent.action",
        attachments: [{ name: "cart", media_type: "application/json", blob: `sha256:${HASH}` }],
      },
      { kind: "network.request", ts: 1_700_000_000_120, method: "POST", body: '{"a":1}' },
      {
        kind: "network.response",
        ts: 1_700_000_000_145,
        status: 500,
        body: `sha256:${HASH}`,
        body_size: 9,
        timing: { wait: 20, receive: 5 },
        duration_ms: 25,
      },
      { kind: "screenshot", blob: `sha256:${HASH}`, width: 8, height: 6 },
    ]);
    expect(warnings).toEqual(["One screenshot is missing from the archive."]);
  });

  test("making the connection is counted once, though the recorder adds ssl to connect", async () => {
    const entry = (time: number, timings: Record<string, number>) => ({
      type: "resource-snapshot",
      snapshot: {
        _monotonicTime: 1100,
        time,
        request: { method: "GET", url: "http://shop/", headers: [] },
        response: { status: 200, headers: [], content: { size: 0, mimeType: "text/plain" } },
        timings,
      },
    });
    const { events } = await read({
      "trace.trace": lines(options),
      "trace.network": lines(
        entry(320, { dns: 0, connect: 140, ssl: 140, send: 0, wait: 30, receive: 10 }),
        entry(500, { dns: 0, connect: 140, ssl: 140, send: 0, wait: 30, receive: 10 }),
      ),
    });
    const took = events.filter(({ kind }) => kind === "network.response");
    expect(took.map((event) => event.duration_ms)).toEqual([180, 500]);
  });

  test("a request that never got an answer has no response; one that failed has its reason", async () => {
    const entry = (url: string, response: Record<string, unknown>) => ({
      type: "resource-snapshot",
      snapshot: { _monotonicTime: 1100, time: -1, request: { method: "GET", url, headers: [] }, response },
    });
    const { events } = await read({
      "trace.trace": lines(options),
      "trace.network": lines(
        entry("http://shop/poll", { status: -1 }),
        entry("http://shop/gone", { status: -1, _failureText: "net::ERR_CONNECTION_REFUSED" }),
      ),
    });
    expect(events.map(({ kind, url, error }) => [kind, url, error])).toEqual([
      ["network.request", "http://shop/poll", undefined],
      ["network.request", "http://shop/gone", undefined],
      ["network.response", "http://shop/gone", "net::ERR_CONNECTION_REFUSED"],
    ]);
  });

  test("an answer whose text a recorder left out has the size that came over the network", async () => {
    const answered = (content: object, bodySize: number) => ({
      type: "resource-snapshot",
      snapshot: {
        _monotonicTime: 1100,
        time: 10,
        request: { method: "GET", url: "http://a/site.js" },
        response: { status: 200, headers: [], content, bodySize },
      },
    });
    const { events } = await read({
      "trace.trace": lines(options),
      "trace.network": lines(
        answered({ size: -1 }, 1219),
        answered({ size: 900 }, 400),
        answered({ size: -1 }, -1),
      ),
    });
    const answers = events.filter(({ kind }) => kind === "network.response");
    expect(answers.map(({ body_size }) => body_size)).toEqual([1219, 900, undefined]);
  });

  test("a request that was over before the recording began is of another test, and is left out", async () => {
    const asked = (path: string, _monotonicTime: number, time: number, response: object) => ({
      type: "resource-snapshot",
      snapshot: { _monotonicTime, time, request: { method: "GET", url: `http://a/${path}` }, response },
    });
    const answer = { status: 200, headers: [], content: {} };
    const { events, result } = await read({
      "trace.trace": lines(options, before("c@1", 1100), after("c@1", 1200)),
      "trace.network": lines(
        asked("earlier", 400, 100, answer),
        asked("across", 900, 150, answer),
        asked("open", 950, -1, { status: -1 }),
        asked("own", 1150, 20, answer),
      ),
    });
    const requests = events.filter(({ kind }) => kind === "network.request");
    expect(requests.map(({ url }) => url)).toEqual(["http://a/across", "http://a/open", "http://a/own"]);
    expect(result.startedAt).toBe(1_700_000_000_000 - 100);
  });

  test("an action that never ended lasts to the end of the trace and says so", async () => {
    const { events } = await read({
      "trace.trace": lines(options, before("c@1", 1100), { type: "console", text: "x", time: 1400 }),
    });
    expect(events[0]).toMatchObject({ duration_ms: 300, is_unfinished: true });
  });

  test("two files that use one call id have two steps", async () => {
    const { events } = await read({
      "0-trace.trace": lines(options, before("call@1", 1100), after("call@1", 1110)),
      "1-trace.trace": lines(options, before("call@1", 1200), after("call@1", 1210)),
    });
    expect(events.map(({ step_id }) => step_id)).toEqual(["call@1", "call@1#2"]);
  });

  test("an archive that lies in a folder finds its files beside it", async () => {
    const frame = {
      type: "screencast-frame",
      pageId: "p",
      file: "screencast/p.jpeg",
      width: 1,
      height: 1,
      timestamp: 1,
    };
    const { events } = await read(
      { "run/trace.trace": lines(options, frame) },
      { "run/screencast/p.jpeg": HASH },
    );
    expect(events.map(({ kind }) => kind)).toEqual(["screenshot"]);
  });
});

describe("the verdict", () => {
  const runner = { ...options, origin: "testRunner", browserName: "" };

  test("without a runner, an action that ended in an error makes the run failed", async () => {
    const { result } = await read({
      "trace.trace": lines(
        options,
        before("c@1", 1100),
        after("c@1", 1200, { error: { message: "Timeout" } }),
      ),
    });
    expect(result).toMatchObject({ status: "failed", failure: { step_id: "c@1", message: "Timeout" } });
  });

  test("with a runner, an error that the test caught does not", async () => {
    const { result } = await read({
      "test.trace": lines(runner, before("s@1", 1100), after("s@1", 1200, { error: { message: "Caught" } })),
    });
    expect(result.status).toBe("passed");
    expect(result.failure).toBeUndefined();
  });

  test("the failed step is the innermost that ended in the runner's error", async () => {
    const error = { message: "Error: no such button" };
    const { result } = await read({
      "test.trace": lines(
        runner,
        before("outer", 1100),
        before("inner", 1110, { parentId: "outer" }),
        after("inner", 1150, { error }),
        after("outer", 1160, { error }),
        { type: "error", message: "Test timeout of 3000ms exceeded." },
        { type: "error", message: "Error: no such button" },
      ),
    });
    expect(result.failure).toEqual({ step_id: "inner", message: "no such button" });
  });

  test("an error of the test that no step had stands among the events", async () => {
    const { events, result } = await read({
      "test.trace": lines(runner, before("s@1", 1100), after("s@1", 1200), {
        type: "error",
        message: "Error: boom",
      }),
    });
    expect(result).toMatchObject({ status: "failed", failure: { step_id: null, message: "boom" } });
    expect(events.at(-1)).toMatchObject({ kind: "console.error", text: "boom", source: "runner" });
    expect(events.at(-1)).not.toHaveProperty("is_verdict");
  });

  test("an error beside that of a step is not the verdict, and says where it was", async () => {
    const { events, result } = await read({
      "test.trace": lines(
        runner,
        before("s@1", 1100),
        after("s@1", 1200, { error: { message: "Error: no button" } }),
        { type: "error", message: "Error: boom", stack: [{ file: "/a.spec.ts", line: 3, column: 1 }] },
        { type: "error", message: "Error: no button" },
      ),
    });
    expect(result.failure).toMatchObject({ step_id: "s@1", message: "no button" });
    expect(events.at(-1)).toMatchObject({ text: "boom", is_verdict: false, stack: [{ line: 3 }] });
  });
});
