import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sseResponse } from "../../../server/http/sse.ts";
import { createHub, type Hub } from "../../../server/platform/hub.ts";
import { createLog } from "../../../server/platform/log.ts";
import { createTestClock, type TestClock } from "../../helpers/app.ts";
import { until } from "../../helpers/until.ts";

let clock: TestClock;
let hub: Hub;
let logged: string[];
beforeEach(() => {
  clock = createTestClock();
  hub = createHub();
  logged = [];
});
afterEach(() => hub.close());

function open(source: (signal: AbortSignal) => AsyncIterable<string>, signal?: AbortSignal) {
  const log = createLog({ clock, level: "debug", write: (line) => logged.push(line) });
  const request = new Request("http://localhost/stream", signal ? { signal } : {});
  const response = sseResponse({ clock, hub, log }, { request, server: null, stillMay: null }, source);
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  return {
    response,
    reader,
    next: async () => {
      const { value, done } = await reader.read();
      return done ? null : decoder.decode(value);
    },
    rest: async () => {
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return text;
        text += decoder.decode(value);
      }
    },
  };
}

async function* quiet(signal: AbortSignal): AsyncIterable<string> {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

describe("event streams", () => {
  test("frame each message exactly, after one heartbeat, and end with their source", async () => {
    const stream = open(async function* () {
      yield '{"seq":1}';
      yield '{"seq":2}';
    });
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await stream.rest()).toBe(': heartbeat\n\ndata: {"seq":1}\n\ndata: {"seq":2}\n\n');
  });

  test("beat every 15 s while nothing happens", async () => {
    const stream = open(quiet);
    expect(await stream.next()).toBe(": heartbeat\n\n");
    for (let i = 0; i < 3; i++) {
      const beat = stream.next();
      await Promise.resolve();
      clock.advance(15_000);
      expect(await beat).toBe(": heartbeat\n\n");
    }
    await stream.reader.cancel();
  });

  test("end when the server closes, although the source waits", async () => {
    const stream = open(quiet);
    hub.close();
    expect(await stream.rest()).toBe(": heartbeat\n\n");
  });

  test("end when the client goes, and tell their source", async () => {
    const client = new AbortController();
    const ended = Promise.withResolvers<void>();
    const stream = open(async function* (signal) {
      try {
        yield* quiet(signal);
      } finally {
        ended.resolve();
      }
    }, client.signal);
    await stream.next();
    client.abort();
    await ended.promise;
    expect(await stream.next()).toBeNull();
  });

  test("wait for a client that reads slowly", async () => {
    let made = 0;
    const stream = open(async function* () {
      for (; made < 100_000; made++) yield `{"seq":${made}}`;
    });
    await stream.next();
    for (let i = 0; i < 100; i++) await Promise.resolve();
    expect(made).toBeLessThan(2_000);
    await stream.reader.cancel();
  });

  test("make no more than a few MiB for a reader that takes nothing, beat no longer, and cut it off after 60 s", async () => {
    const MESSAGE = "x".repeat(1 << 20);
    let made = 0;
    const ended = Promise.withResolvers<void>();
    const log = createLog({ clock, level: "debug", write: (line) => logged.push(line) });
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      fetch: (request, served) =>
        sseResponse({ clock, hub, log }, { request, server: served, stillMay: null }, async function* () {
          try {
            for (; made < 1000; made++) yield MESSAGE;
          } finally {
            ended.resolve();
          }
        }),
    });
    const closed = Promise.withResolvers<void>();
    let received = 0;
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port!,
      socket: {
        data: (_, bytes) => {
          received += bytes.length;
        },
        close: () => closed.resolve(),
        error: () => closed.resolve(),
      },
    });
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // What the kernel takes is taken at once; then nothing more is made.
    let [before, quiet] = [-1, 0];
    await until("nothing more is made", () => {
      quiet = made > 0 && made === before ? quiet + 1 : 0;
      before = made;
      return quiet > 10;
    });
    expect(made).toBeLessThan(20);
    for (let times = 0; times < 3; times++) clock.advance(15_000);
    await Bun.sleep(0);
    expect(server.pendingRequests).toBe(1);
    clock.advance(15_000);
    await ended.promise;
    await until("the server has let go", () => server.pendingRequests === 0);
    socket.resume();
    await closed.promise;
    expect(received).toBeLessThan(20 << 20);
    expect(logged).toEqual([]);
    await server.stop(true);
  });

  test("of a server that stops do not keep it waiting for a reader that takes nothing", async () => {
    let made = 0;
    const log = createLog({ clock, level: "debug", write: (line) => logged.push(line) });
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      fetch: (request, served) =>
        sseResponse({ clock, hub, log }, { request, server: served, stillMay: null }, async function* () {
          for (; ; made++) yield "x".repeat(1 << 20);
        }),
    });
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port!,
      socket: { data() {}, error() {} },
    });
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let [before, quiet] = [-1, 0];
    await until("nothing more is made", () => {
      quiet = made > 0 && made === before ? quiet + 1 : 0;
      before = made;
      return quiet > 10;
    });
    hub.close();
    await server.stop();
    expect(server.pendingRequests).toBe(0);
    socket.end();
  });

  test("go on for a reader that takes a little within each minute", async () => {
    const stream = open(async function* () {
      for (let seq = 0; seq < 100; seq++) yield "x".repeat(200_000);
    });
    let length = 0;
    for (let reads = 0; ; reads++) {
      const text = await stream.next();
      if (text === null) break;
      length += text.length;
      if (reads % 10 === 0) clock.advance(59_000);
    }
    expect(length).toBeGreaterThan(100 * 200_000);
  });

  test("end, and leave word in the log, when their source fails", async () => {
    const stream = open(async function* () {
      yield "{}";
      throw new Error("broken disk");
    });
    expect(await stream.rest()).toBe(": heartbeat\n\ndata: {}\n\n");
    expect(logged.join("")).toContain("broken disk");
  });
});
