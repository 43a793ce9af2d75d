import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sseResponse } from "../../../server/http/sse.ts";
import { createHub, type Hub } from "../../../server/platform/hub.ts";
import { createLog } from "../../../server/platform/log.ts";
import { createTestClock, type TestClock } from "../../helpers/app.ts";

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
  const response = sseResponse({ clock, hub, log }, { request, server: null }, source);
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

  test("end, and leave word in the log, when their source fails", async () => {
    const stream = open(async function* () {
      yield "{}";
      throw new Error("broken disk");
    });
    expect(await stream.rest()).toBe(": heartbeat\n\ndata: {}\n\n");
    expect(logged.join("")).toContain("broken disk");
  });
});
