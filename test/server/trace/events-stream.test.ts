import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events, zstd } from "../../helpers/bundles.ts";
import { getJson, post, uploadTrace } from "../../helpers/traces.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const lineOf = (seq: number) =>
  JSON.stringify({ seq, ts: 1_772_366_400_000 + seq, kind: "console.log", text: `at ${seq}` });

interface Running {
  id: string;
  send(n: number, seqs: number[]): Promise<void>;
  end(): Promise<void>;
}

async function startTrace(): Promise<Running> {
  const response = await post(app, "/internal/v1/traces", {
    version: 1,
    scenario: { slug: "live", title: "Live" },
    started_at: "2026-03-01T12:00:00.000Z",
  });
  const { trace_id: id } = (await response.json()) as { trace_id: string };
  const call = async (path: string, init: RequestInit) => {
    const answer = await app.api(`/internal/v1/traces/${id}/${path}`, init);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  return {
    id,
    send: (n, seqs) =>
      call(`chunks?n=${n}`, {
        method: "POST",
        body: new Uint8Array(zstd(Buffer.from(seqs.map((seq) => `${lineOf(seq)}\n`).join("")))),
        headers: { "content-type": "application/zstd" },
      }),
    end: () =>
      call("end", {
        method: "POST",
        body: '{"status":"passed"}',
        headers: { "content-type": "application/json" },
      }),
  };
}

/** Reads a stream message by message. */
function reader(response: Response) {
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const source = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    /** The next message with its blank line; null at the end. */
    async next(): Promise<string | null> {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end !== -1) {
          const message = text.slice(0, end + 2);
          text = text.slice(end + 2);
          return message;
        }
        const { done, value } = await source.read();
        if (done) return text === "" ? null : text;
        text += value;
      }
    },
    async take(count: number): Promise<string[]> {
      const messages: string[] = [];
      while (messages.length < count) messages.push((await this.next())!);
      return messages;
    },
    cancel: () => source.cancel(),
  };
}

const open = (id: string, query = "", init: RequestInit = {}) =>
  app.api(`/v1/traces/${id}/stream${query}`, init);
const data = (line: string) => `data: ${line}\n\n`;
const HEARTBEAT = ": heartbeat\n\n";

describe("GET /v1/traces/{id}/stream", () => {
  test("of a finished trace every stored line comes, framed exactly, and then the end", async () => {
    const { id } = await uploadTrace(app);
    const text = await (await open(id)).text();
    const lines = eventLines(10).trimEnd().split("\n");
    expect(text).toBe(HEARTBEAT + lines.map(data).join(""));
    expect(await (await open(id, "?after=7")).text()).toBe(HEARTBEAT + lines.slice(8).map(data).join(""));
    expect(await (await open(id, "?live=1&after=-1")).text()).toBe(text);
  });

  test("204 when a finished trace has nothing left; a bad after is 400", async () => {
    const { id } = await uploadTrace(app);
    for (const after of [9, 10, 5000]) {
      const response = await open(id, `?after=${after}`);
      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
    }
    for (const bad of ["x", "", "-2", "1.5"]) expect((await open(id, `?after=${bad}`)).status).toBe(400);
  });

  test("of a running trace stored events come first, new ones as they are taken, and the stream ends with the trace", async () => {
    const trace = await startTrace();
    await trace.send(0, [0, 1, 2]);
    const stream = reader(await open(trace.id, "?after=0"));
    expect(await stream.next()).toBe(HEARTBEAT);
    expect(await stream.take(2)).toEqual([1, 2].map(lineOf).map(data));
    await trace.send(1, [3, 7]);
    expect(await stream.take(2)).toEqual([3, 7].map(lineOf).map(data));
    await trace.send(2, [8]);
    await trace.end();
    await app.runJobs();
    expect(await stream.next()).toBe(data(lineOf(8)));
    expect(await stream.next()).toBeNull();
    expect((await getJson(app, `/v1/traces/${trace.id}`)).status).toBe("passed");
  });

  test("a reader that comes back after the last event of a running trace waits for the next", async () => {
    const trace = await startTrace();
    await trace.send(0, [0, 1]);
    const stream = reader(await open(trace.id, "?after=1"));
    expect(await stream.next()).toBe(HEARTBEAT);
    await trace.send(1, [2]);
    expect(await stream.next()).toBe(data(lineOf(2)));
    await stream.cancel();
  });

  test("a quiet stream beats every 15 seconds", async () => {
    const trace = await startTrace();
    const stream = reader(await open(trace.id));
    expect(await stream.next()).toBe(HEARTBEAT);
    app.clock.advance(15_000);
    expect(await stream.next()).toBe(HEARTBEAT);
    app.clock.advance(15_000);
    expect(await stream.next()).toBe(HEARTBEAT);
    await stream.cancel();
  });

  test("a hundred readers of one trace each get every event once, in order", async () => {
    const trace = await startTrace();
    await trace.send(0, [0, 1, 2, 3, 4]);
    const before = app.deps.hub.subscriberCount();
    const streams = await Promise.all(
      Array.from({ length: 100 }, async (_, index) =>
        reader(await open(trace.id, `?after=${(index % 5) - 1}`)),
      ),
    );
    for (let n = 1; n <= 5; n++) await trace.send(n, [n * 10, n * 10 + 1]);
    await trace.end();
    await app.runJobs();
    const all = [0, 1, 2, 3, 4, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51];
    for (const [index, stream] of streams.entries()) {
      const got: string[] = [];
      for (let message = await stream.next(); message !== null; message = await stream.next())
        if (message !== HEARTBEAT) got.push(message);
      expect(got).toEqual(
        all
          .slice(index % 5)
          .map(lineOf)
          .map(data),
      );
    }
    expect(app.deps.hub.subscriberCount()).toBe(before);
  });

  test("a reader that goes away is forgotten", async () => {
    const trace = await startTrace();
    const before = app.deps.hub.subscriberCount();
    const abort = new AbortController();
    const stream = reader(await open(trace.id, "", { signal: abort.signal }));
    expect(await stream.next()).toBe(HEARTBEAT);
    await trace.send(0, [0]);
    expect(await stream.next()).toBe(data(lineOf(0)));
    abort.abort();
    await stream.next().catch(() => null);
    await trace.send(1, [1]);
    expect(app.deps.hub.subscriberCount()).toBe(before);
  });
});

describe("the stream of a share", () => {
  const share = async (id: string) => {
    const answer = await post(app, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 });
    return ((await answer.json()) as { short_id: string }).short_id;
  };
  const openShared = (shortId: string) => app.api(`/r/${shortId}/stream`, { headers: { authorization: "" } });

  test("ends when the share is withdrawn, and brings nothing that comes thereafter", async () => {
    const trace = await startTrace();
    await trace.send(0, [0]);
    const stream = reader(await openShared(await share(trace.id)));
    expect(await stream.take(2)).toEqual([HEARTBEAT, data(lineOf(0))]);
    expect((await app.api(`/v1/traces/${trace.id}/share`, { method: "DELETE" })).status).toBe(204);
    await trace.send(1, [1]);
    expect(await stream.next()).toBeNull();
  });

  test("goes on for a share that was only given another end", async () => {
    const trace = await startTrace();
    const shortId = await share(trace.id);
    const stream = reader(await openShared(shortId));
    expect(await stream.next()).toBe(HEARTBEAT);
    await share(trace.id);
    await trace.send(0, [0]);
    expect(await stream.next()).toBe(data(lineOf(0)));
    await stream.cancel();
  });

  test("ends for strangers when the share becomes one of the org, and at the next event or heartbeat after its end", async () => {
    const trace = await startTrace();
    const shortId = await share(trace.id);
    const strangers = reader(await openShared(shortId));
    expect(await strangers.next()).toBe(HEARTBEAT);
    await post(app, `/v1/traces/${trace.id}/share`, { visibility: "org-only", expires_days: 1 });
    expect(await strangers.next()).toBeNull();

    await share(trace.id);
    const quiet = reader(await openShared(shortId));
    expect(await quiet.next()).toBe(HEARTBEAT);
    app.clock.advance(24 * 60 * 60_000);
    expect(await quiet.next()).toBeNull();
  });
});

test("a line end of old Macs between the parts of an event ends no line of the stream", async () => {
  const odd = '{"seq":1,\r"ts":1772366400001,\r"kind":"console.log","text":"a\\rb"}';
  const { id } = await uploadTrace(app, {
    entries: [events(`${lineOf(0)}\n${odd}\n${lineOf(2)}\n`)],
  });
  const heard: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => heard.push(data) });
  parser.feed(await (await app.api(`/v1/traces/${id}/stream`)).text());
  expect(heard.map((data) => (JSON.parse(data) as { seq: number }).seq)).toEqual([0, 1, 2]);
  expect(JSON.parse(heard[1]!)).toEqual(JSON.parse(odd));
});
