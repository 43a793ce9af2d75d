import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { testApp } from "../../helpers/app.ts";
import { bundle, events, manifest, uploadForm } from "../../helpers/bundles.ts";
import { longLine, traceWithLines } from "../../helpers/old-events.ts";
import { type RunningServer, scratchFolder, startProgram } from "../../helpers/program.ts";
import { uploadTrace } from "../../helpers/traces.ts";
import { until } from "../../helpers/until.ts";

setDefaultTimeout(300_000);

const MIB = 1024 * 1024;
const LINES = 30;
const LINE = 15 * MIB;
/** What the attack took was several times as much. */
const MOST_GROWTH = 700 * MIB;

const folder = scratchFolder();
let server: RunningServer;
let long: { id: string; shortId: string };
let small: { id: string; shortId: string };

function* manyLongLines() {
  for (let seq = 0; seq < LINES; seq++) yield longLine(seq, LINE);
}

beforeAll(async () => {
  const app = await testApp({ dataDir: folder.path });
  long = await traceWithLines(app, manyLongLines(), LINES);
  small = await uploadTrace(app);
  await app.close();
  server = await startProgram(folder.path);
  for (const { id } of [long, small]) {
    const body = JSON.stringify({ visibility: "public-read" });
    const headers = { "content-type": "application/json" };
    await server.api(`/v1/traces/${id}/share`, { method: "POST", body, headers });
  }
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

/** Bytes that the server took at most while something went on, above what it had. */
async function growthWhile(work: () => Promise<void>): Promise<number> {
  const read = (name: string) =>
    Number(
      new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(
        readFileSync(`/proc/${server.pid}/status`, "latin1"),
      )![1],
    ) * 1024;
  const before = read("VmRSS");
  // Begins the peak anew (proc_pid_clear_refs(5)).
  writeFileSync(`/proc/${server.pid}/clear_refs`, "5");
  await work();
  return read("VmHWM") - before;
}

const anonymous = (path: string) => fetch(new URL(path, server.url));

async function smallIsServed(): Promise<void> {
  const response = await anonymous(`/r/${small.shortId}/events`);
  expect(((await response.json()) as { total: number }).total).toBe(10);
  expect((await anonymous("/health")).status).toBe(200);
}

/** A client that asks and then takes nothing. */
async function unread(path: string): Promise<{ end(): void }> {
  const { hostname, port, host } = new URL(server.url);
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return socket;
}

describe.skipIf(process.platform !== "linux")("30 event lines of 15 MiB", () => {
  test("cost nothing to speak of for streams that nobody reads", async () => {
    const sockets: { end(): void }[] = [];
    const growth = await growthWhile(async () => {
      for (let count = 0; count < 8; count++) sockets.push(await unread(`/r/${long.shortId}/stream`));
      for (let times = 0; times < 20; times++) await smallIsServed();
    });
    for (const socket of sockets) socket.end();
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  test("are taken from a small upload, their strings as blobs, without being held together", async () => {
    const lines = (function* () {
      for (let seq = 0; seq < LINES; seq++) yield `${longLine(seq, LINE).line}\n`;
    })();
    const text = [...lines].join("");
    const file = bundle([manifest(), events(text)]);
    expect(file.length).toBeLessThan(MIB);
    const growth = await growthWhile(async () => {
      const response = await server.api("/v1/traces/ingest", { method: "POST", body: uploadForm(file) });
      expect(response.status).toBe(200);
      const { trace_id } = (await response.json()) as { trace_id: string };
      await until("it is post-processed", async () => {
        const trace = (await (await server.api(`/v1/traces/${trace_id}`)).json()) as { status: string };
        return trace.status === "failed";
      });
      const page = await (await server.api(`/v1/traces/${trace_id}/events`)).text();
      expect(page.length).toBeLessThan(10_000);
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  test("cost readers of a page, the stream and files made of events no more than a page, and others are served", async () => {
    const growth = await growthWhile(async () => {
      const readers = Array.from({ length: 4 }, async (_, offset) => {
        const response = await anonymous(`/r/${long.shortId}/events?limit=1000&offset=${offset}`);
        expect(response.status).toBe(200);
        expect((await response.arrayBuffer()).byteLength).toBeLessThan(16 * MIB);
      });
      await smallIsServed();
      await Promise.all(readers);
      for (const path of [
        `/r/${long.shortId}/report.md`,
        `/v1/traces/${long.id}/prompt.md`,
        `/v1/traces/${long.id}/har`,
        `/r/${long.shortId}/find?q=needle`,
        `/r/${long.shortId}/events?q=needle&match=loose`,
        `/v1/traces/diff?a=${long.id}&b=${long.id}`,
        `/r/${long.shortId}/stream?after=26`,
      ]) {
        const response = await server.api(path);
        expect([path, response.status]).toEqual([path, 200]);
        for await (const _ of response.body!);
      }
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });
});
