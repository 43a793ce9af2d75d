import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm, truncate } from "node:fs/promises";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { createFrames } from "../../../server/trace/har/frames.ts";
import { HAR_BODIES, HAR_BODY } from "../../../server/trace/har/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, events, manifest, sha256, uploadForm } from "../../helpers/bundles.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { recorded } from "../../helpers/viewer.ts";

// The structure of HAR 1.2 as it is published: which fields there must be, and of which type.
const optional = Type.Optional;
const Pairs = Type.Array(Type.Object({ name: Type.String(), value: Type.String() }));
const Milliseconds = Type.Number({ minimum: -1 });
const Entry = Type.Object({
  startedDateTime: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }),
  time: Type.Number({ minimum: 0 }),
  request: Type.Object({
    method: Type.String({ minLength: 1 }),
    url: Type.String(),
    httpVersion: Type.String(),
    cookies: Pairs,
    headers: Pairs,
    queryString: Pairs,
    postData: optional(
      Type.Object({ mimeType: Type.String(), text: Type.String(), comment: optional(Type.String()) }),
    ),
    headersSize: Type.Integer({ minimum: -1 }),
    bodySize: Type.Integer({ minimum: -1 }),
  }),
  response: Type.Object({
    status: Type.Integer({ minimum: 0 }),
    statusText: Type.String(),
    httpVersion: Type.String(),
    cookies: Pairs,
    headers: Pairs,
    content: Type.Object({
      size: Type.Integer({ minimum: 0 }),
      mimeType: Type.String(),
      text: optional(Type.String()),
      encoding: optional(Type.String()),
      comment: optional(Type.String()),
    }),
    redirectURL: Type.String(),
    headersSize: Type.Integer({ minimum: -1 }),
    bodySize: Type.Integer({ minimum: -1 }),
  }),
  cache: Type.Object({}),
  timings: Type.Object({
    blocked: Milliseconds,
    dns: Milliseconds,
    connect: Milliseconds,
    ssl: Milliseconds,
    send: Type.Number({ minimum: 0 }),
    wait: Type.Number({ minimum: 0 }),
    receive: Type.Number({ minimum: 0 }),
  }),
  serverIPAddress: optional(Type.String()),
  _webSocketMessages: optional(
    Type.Array(
      Type.Object({
        type: Type.Union([Type.Literal("send"), Type.Literal("receive")]),
        time: Type.Number(),
        opcode: Type.Integer(),
        data: Type.String(),
      }),
    ),
  ),
});
const Har = Type.Object({
  log: Type.Object({
    version: Type.Literal("1.2"),
    creator: Type.Object({ name: Type.String(), version: Type.String() }),
    entries: Type.Array(Entry),
  }),
});

let on: TestApp;
beforeAll(async () => {
  on = await testApp();
});
afterAll(() => on.close());

async function send(file: Parameters<typeof uploadForm>[0]): Promise<string> {
  const response = await on.api("/v1/traces/ingest", { method: "POST", body: uploadForm(file) });
  const { trace_id } = (await response.json()) as { trace_id: string };
  await on.runJobs();
  return trace_id;
}
async function harOf(id: string): Promise<Static<typeof Har>["log"]> {
  const har: unknown = await (await on.api(`/v1/traces/${id}/har`)).json();
  expect([...Value.Errors(Har, har)].slice(0, 3)).toEqual([]);
  return (har as Static<typeof Har>).log;
}
const lines = (list: object[]) =>
  `${list.map((event, at) => JSON.stringify({ seq: at + 1, ts: 1_750_000_000_000 + at, ...event })).join("\n")}\n`;
const response = (request_id: string, more: object = {}) => ({
  kind: "network.response",
  request_id,
  url: `http://shop.test/${request_id}`,
  status: 200,
  headers: [],
  duration_ms: 4,
  ...more,
});

for (const name of ["v10-runner-failing", "v8-failing", "v3-failing", "v0-passing"])
  test(`the archive of ${name} is HAR 1.2 and has every request`, async () => {
    const id = await send(new Uint8Array(await Bun.file(recorded(name)).arrayBuffer()));
    const { entries } = await harOf(id);
    const all = await on.api(`/v1/traces/${id}/events?kind=network.request&limit=1`);
    expect(entries).toHaveLength(((await all.json()) as { total: number }).total);
    for (const { time, timings } of entries) {
      const { ssl: _, ...summed } = timings;
      expect(time).toBeCloseTo(Object.values(summed).reduce((sum, ms) => sum + Math.max(0, ms), 0));
    }
    if (!name.includes("failing")) return;
    const failed = entries.find(({ response }) => response.status === 500)!;
    expect(failed.request).toMatchObject({ method: "POST", url: expect.stringContaining("/api/checkout") });
    expect(failed.request.postData?.text).toContain("{");
    expect(failed.response.content.text).toContain("ledger unavailable");
  });

test("it is a file named after the short id", async () => {
  const id = await send(bundle([manifest({ status: "passed" }), events(lines([response("a")]))]));
  const { headers } = await on.api(`/v1/traces/${id}/har`);
  expect(headers.get("content-disposition")).toMatch(/^attachment; filename="trace-\w{12}\.har"$/);
  expect(headers.get("cache-control")).toBe("private, no-store");
});

test("requests without an answer, answers without a request, odd fields and binary bodies are all in it", async () => {
  const binary = Uint8Array.from({ length: 300 }, (_, at) => at % 256);
  const id = await send(
    bundle([
      manifest({ status: "failed" }),
      events(
        lines([
          {
            kind: "network.request",
            request_id: "open",
            method: "PUT",
            url: "http://shop.test/x?a=1&b=%20",
            headers: [
              { name: "Cookie", value: "a=1; b=2" },
              { name: "Content-Type", value: "text/plain" },
            ],
            body: "hello",
          },
          response("picture", { body: `sha256:${sha256(binary)}`, media_type: "image/png" }),
          response("gone", { body: `sha256:${"0".repeat(64)}` }),
          response("odd", {
            url: 7,
            status: "x",
            headers: "none",
            timing: 5,
            duration_ms: "long",
            error: "reset",
          }),
        ]),
      ),
      { name: `blobs/${sha256(binary)}`, content: binary },
    ]),
  );
  const { entries } = await harOf(id);
  expect(entries).toHaveLength(4);
  expect(entries[0]!.response.content).toMatchObject({
    encoding: "base64",
    text: Buffer.from(binary).toString("base64"),
    mimeType: "image/png",
  });
  expect(entries[1]!.response.content.comment).toContain("not recorded");
  expect(entries[2]!.response).toMatchObject({ status: 0, _error: "reset" });
  expect(entries[3]).toMatchObject({
    startedDateTime: "2025-06-15T15:06:40.000Z",
    request: {
      cookies: [
        { name: "a", value: "1" },
        { name: "b", value: "2" },
      ],
      queryString: [
        { name: "a", value: "1" },
        { name: "b", value: " " },
      ],
      postData: { mimeType: "text/plain", text: "hello" },
      bodySize: 5,
    },
    response: { status: 0, comment: "No answer was recorded." },
  });
});

test("a body over the cap, and bodies past what all may have, are named with their size and left out", async () => {
  const [large, fitting] = ["x".repeat(HAR_BODY + 1), "y".repeat(HAR_BODY)];
  const count = HAR_BODIES / HAR_BODY + 3;
  const list = [
    response("large", { body: `sha256:${sha256(large)}` }),
    ...Array.from({ length: count }, (_, at) => response(`r${at}`, { body: `sha256:${sha256(fitting)}` })),
  ];
  const id = await send(
    bundle([
      manifest({ status: "passed" }),
      events(lines(list)),
      { name: `blobs/${sha256(large)}`, content: large },
      { name: `blobs/${sha256(fitting)}`, content: fitting },
    ]),
  );
  const contents = (await harOf(id)).entries.map(({ response: { content } }) => content);
  expect(contents[0]).toMatchObject({ size: HAR_BODY + 1, comment: expect.stringContaining("too large") });
  expect(contents.filter(({ text }) => text !== undefined)).toHaveLength(HAR_BODIES / HAR_BODY);
  expect(contents.at(-1)).toMatchObject({ size: HAR_BODY, comment: expect.stringContaining("no more room") });
});

test("a body whose stored bytes are gone or damaged is told as such, in the archive and by leaving it out of the prompt", async () => {
  const [gone, damaged] = ["the gone body", "the damaged body"];
  const id = await send(
    bundle([
      manifest({ status: "failed" }),
      events(
        lines([
          response("gone", { status: 500, body: `sha256:${sha256(gone)}` }),
          response("damaged", { status: 500, body: `sha256:${sha256(damaged)}` }),
          response("fine", { body: "fine" }),
        ]),
      ),
      { name: `blobs/${sha256(gone)}`, content: gone },
      { name: `blobs/${sha256(damaged)}`, content: damaged },
    ]),
  );
  await rm(loosePath(on.store, sha256(gone)));
  await truncate(loosePath(on.store, sha256(damaged)), 3);
  const { entries } = await harOf(id);
  expect(entries.map(({ response: { content } }) => content.comment ?? content.text)).toEqual([
    "The stored bytes of this body are damaged.",
    "The stored bytes of this body are damaged.",
    "fine",
  ]);
  const prompt = await on.api(`/v1/traces/${id}/prompt.md`);
  expect(prompt.status).toBe(200);
  expect(await prompt.text()).not.toContain("Answer:");
});

test("WebSockets have their messages, whatever the order of the events, and other requests have none", async () => {
  const socket = { request_id: "ws", resource_type: "websocket", url: "ws://shop.test/live" };
  const frame = (direction: string, more: object) => ({
    kind: "network.websocket_frame",
    request_id: "ws",
    direction,
    opcode: 1,
    size: 5,
    ...more,
  });
  const long = "a long message ".repeat(10_000);
  const id = await send(
    bundle([
      manifest({ status: "passed" }),
      events(
        lines([
          { kind: "network.request", method: "GET", headers: [], ...socket },
          response("ws", { ...socket, status: 101 }),
          frame("sent", { text: "hello" }),
          response("plain"),
          frame("received", { opcode: 2, base64: "AAEC" }),
          frame("received", { text: long }),
          { kind: "network.request", method: "GET", headers: [], ...socket, request_id: "quiet" },
          frame("sent", { text: "of nobody", request_id: "unknown" }),
        ]),
      ),
    ]),
  );
  const { entries } = await harOf(id);
  expect(entries.map(({ request }) => request.url)).toEqual([
    "http://shop.test/plain",
    "ws://shop.test/live",
    "ws://shop.test/live",
  ]);
  const [plain, live, quiet] = entries.map((entry) => entry._webSocketMessages);
  expect(plain).toBeUndefined();
  expect(quiet).toEqual([]);
  expect(live).toEqual([
    { type: "send", time: 1_750_000_000.002, opcode: 1, data: "hello" },
    { type: "receive", time: 1_750_000_000.004, opcode: 2, data: "AAEC" },
    { type: "receive", time: 1_750_000_000.005, opcode: 1, data: long },
  ]);
});

test("a trace without events has an empty archive", async () => {
  const id = await send(bundle([manifest({ status: "passed" }), events("")]));
  expect((await harOf(id)).entries).toEqual([]);
});

test("messages of very many connections take a bounded memory, whatever their ids are", () => {
  const frames = createFrames();
  const heap = () => {
    Bun.gc(true);
    return heapStats().heapSize + heapStats().extraMemorySize;
  };
  const before = heap();
  for (let seq = 0; seq < 60_000; seq++) {
    const id = Buffer.alloc(2_000, `${seq} `).toString("latin1");
    frames.add({ seq, ts: seq, kind: "network.websocket_frame", request_id: id } as TraceEvent, 2_100);
  }
  expect(heap() - before).toBeLessThan(60_000_000);
  expect(frames.of(Buffer.alloc(2_000, "0 ").toString("latin1"))?.frames).toHaveLength(1);
});
