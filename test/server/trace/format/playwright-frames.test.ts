import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { after, before, lines, options, read } from "./playwright-harness.ts";

const HASH = "b".repeat(64);
const WALL = 1_700_000_000_000;

const connection = (more: Record<string, unknown> = {}) => ({
  type: "resource-snapshot",
  snapshot: {
    pageref: "page@1",
    startedDateTime: new Date(WALL + 100).toISOString(),
    _monotonicTime: 1100,
    _resourceType: "websocket",
    time: 40,
    request: { method: "GET", url: "ws://shop.example/live", headers: [] },
    response: {
      status: 101,
      headers: [],
      content: { size: -1, mimeType: "x-unknown", _file: "resources/a.jsonl" },
    },
    ...more,
  },
});

const message = (type: string, time: number, opcode: number, data: string) => ({ type, time, opcode, data });

test("what was said over a WebSocket is told frame by frame, in the order of time, each with its step", async () => {
  const { events, warnings } = await read(
    {
      "trace.trace": lines(options, before("c@1", 1050), after("c@1", 1400)),
      "trace.network": lines(connection()),
      "resources/a.jsonl": lines(
        message("send", WALL + 110.4, 1, "hello"),
        message("receive", WALL + 120, 2, Buffer.from([1, 2, 3]).toString("base64")),
        message("receive", WALL + 130, 1, "é"),
      ),
    },
    { "resources/a.jsonl": HASH },
  );
  const frames = events.filter(({ kind }) => kind === "network.websocket_frame");
  expect(frames).toEqual([
    {
      ts: WALL + 110,
      kind: "network.websocket_frame",
      step_id: "c@1",
      request_id: "req_1",
      direction: "sent",
      opcode: 1,
      size: 5,
      text: "hello",
      page: "page@1",
    },
    {
      ts: WALL + 120,
      kind: "network.websocket_frame",
      step_id: "c@1",
      request_id: "req_1",
      direction: "received",
      opcode: 2,
      size: 3,
      base64: "AQID",
      page: "page@1",
    },
    {
      ts: WALL + 130,
      kind: "network.websocket_frame",
      step_id: "c@1",
      request_id: "req_1",
      direction: "received",
      opcode: 1,
      size: 2,
      text: "é",
      page: "page@1",
    },
  ]);
  const response = events.find(({ kind }) => kind === "network.response");
  expect(response).toMatchObject({ status: 101, request_id: "req_1" });
  expect(response).not.toHaveProperty("body");
  expect(warnings).toEqual([]);
});

test("messages inside of the exchange are taken too; a long one is cut, an unreadable one is told", async () => {
  const { events, warnings } = await read({
    "trace.trace": lines(options),
    "trace.network": lines(
      connection({
        response: { status: 101, headers: [], content: {} },
        _webSocketMessages: [
          message("receive", WALL + 110, 1, "x".repeat(70_000)),
          { type: "receive" },
          null,
        ],
      }),
    ),
  });
  const frames = events.filter(({ kind }) => kind === "network.websocket_frame");
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ size: 70_000, is_cut: true });
  expect(String(frames[0]?.text).length).toBeLessThanOrEqual(64 * 1024);
  expect(warnings).toEqual(["2 WebSocket messages are unreadable and left out."]);
});

test("whatever lies in the file of messages, reading goes on", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.json(), fc.string(), fc.constant("{"))), async (said) => {
      const { events } = await read({
        "trace.trace": lines(options, before("c@1", 1050), after("c@1", 1400)),
        "trace.network": lines(connection()),
        "resources/a.jsonl": said.map((line) => line.replaceAll("\n", " ")).join("\n"),
      });
      expect(events.some(({ kind }) => kind === "agent.action")).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("frames of a stack name the source that the archive holds, under both of its names", async () => {
  const sha1 = (path: string) => createHash("sha1").update(path).digest("hex");
  const at = (file: string) => ({ file, line: 3, column: 5 });
  const { events } = await read(
    {
      "trace.trace": lines(
        options,
        before("c@1", 1050, { stack: [at("/work/shop.spec.ts"), at("/work/old.js"), at("/work/gone.ts")] }),
        after("c@1", 1060),
      ),
    },
    {
      [`src/${sha1("/work/shop.spec.ts")}.ts`]: HASH,
      [`resources/src@${sha1("/work/old.js")}.txt`]: "c".repeat(64),
    },
  );
  expect(events[0]?.stack).toEqual([
    { file: "/work/shop.spec.ts", line: 3, column: 5, source: `sha256:${HASH}` },
    { file: "/work/old.js", line: 3, column: 5, source: `sha256:${"c".repeat(64)}` },
    { file: "/work/gone.ts", line: 3, column: 5 },
  ]);
});

test("attachments of a step come with name, type and bytes, or with the path of what was not kept", async () => {
  const { events } = await read(
    {
      "trace.trace": lines(
        options,
        before("c@1", 1050),
        after("c@1", 1060, {
          attachments: [
            { name: "a.png", contentType: "image/png", file: "attachments/1" },
            { name: "log", contentType: "text/plain", path: "/tmp/log.txt" },
            { contentType: "text/plain" },
            null,
          ],
        }),
      ),
    },
    { "attachments/1": HASH },
  );
  expect(events[0]?.attachments).toEqual([
    { name: "a.png", media_type: "image/png", blob: `sha256:${HASH}` },
    { name: "log", media_type: "text/plain", path: "/tmp/log.txt" },
  ]);
});

test("the storage that a context began with is told where its recorder wrote it down", async () => {
  const began = {
    ...options,
    options: {
      storageState: {
        cookies: [
          {
            name: "sid",
            value: "1",
            domain: "shop.example",
            path: "/",
            expires: -1,
            httpOnly: true,
            sameSite: "Lax",
          },
          { value: "nameless" },
        ],
        origins: [{ origin: "https://shop.example", localStorage: [{ name: "theme", value: "dark" }, 7] }],
      },
    },
  };
  const { events } = await read({ "trace.trace": lines(began) });
  expect(events).toEqual([
    {
      ts: WALL,
      kind: "storage.state",
      cookies: [
        { name: "sid", value: "1", domain: "shop.example", path: "/", http_only: true, same_site: "Lax" },
      ],
      origins: [{ origin: "https://shop.example", local_storage: [{ name: "theme", value: "dark" }] }],
    },
  ]);
});
