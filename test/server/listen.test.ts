import { expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { Elysia } from "elysia";
import { loadConfig } from "../../server/config.ts";
import { sseResponse } from "../../server/http/sse.ts";
import { listen, stopListening } from "../../server/listen.ts";
import { systemClock } from "../../server/platform/clock.ts";
import { createHub } from "../../server/platform/hub.ts";
import { createLog } from "../../server/platform/log.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(30_000);

/** Less than what requests that deserve it may take, more than a busy machine needs for nothing. */
const PROMPT_MS = 4000;

function lab() {
  const hub = createHub();
  const log = createLog({ clock: systemClock, level: "error", write: () => {} });
  const answered = Promise.withResolvers<void>();
  const asked: string[] = [];
  let made = 0;
  const app = new Elysia()
    .onRequest(({ request }) => void asked.push(new URL(request.url).pathname))
    .get("/slow", async () => {
      await answered.promise;
      return "whole";
    })
    .get("/stream/:size", ({ request, server, params }) =>
      sseResponse(
        { clock: systemClock, hub, log },
        { request, server, stillMay: null },
        async function* (signal) {
          const message = JSON.stringify("x".repeat(1 << 16));
          for (let n = 0; n < Number(params.size) && !signal.aborted; n++) {
            made++;
            yield message;
          }
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        },
      ),
    );
  const port = listen(app, { ...loadConfig({ port: 0 }, {}), port: 0 });
  return {
    ...{ hub, port, answered, asked },
    /** All was made that is made for a reader who takes nothing. */
    async full() {
      let before = -1;
      await until("nothing more is made", () => {
        const isSame = made === before;
        before = made;
        return isSame;
      });
    },
    async stop(): Promise<number> {
      const begun = performance.now();
      hub.close();
      await stopListening(app, hub);
      return performance.now() - begun;
    },
  };
}

async function client(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await new Promise<void>((resolve) => socket.on("connect", () => resolve()));
  socket.on("error", () => {});
  socket.write(text);
  return socket;
}
const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

test("a stop waits for no client that sent half a request head", async () => {
  const { port, stop, asked } = lab();
  const half = await client(port, "GET / HTTP/1.1\r\nHost: local");
  // The one that came later is answered, so the other was taken.
  await fetch(`http://127.0.0.1:${port}/none`);
  expect(asked).toEqual(["/none"]);
  expect(await stop()).toBeLessThan(PROMPT_MS);
  half.destroy();
});

test("a stop waits for no event stream, neither a quiet one nor one whose reader takes nothing", async () => {
  for (const size of [0, 200]) {
    const { port, stop, hub, asked, full } = lab();
    const reader = await client(port, head(`/stream/${size}`));
    reader.pause();
    await until("the stream is open", () => asked.length === 1);
    await full();
    expect(await stop()).toBeLessThan(PROMPT_MS);
    expect(hub.closing.aborted).toBe(true);
    reader.destroy();
  }
});

test("a stop waits for a request that is being answered, beside all of them, also when a stream is read late", async () => {
  const { port, stop, answered, asked, full } = lab();
  const others = [
    await client(port, "GET / HTTP/1.1\r\nHost: local"),
    await client(port, head("/stream/200")),
    await client(port, head("/stream/200")),
  ];
  for (const reader of others.slice(1)) reader.pause();
  const slow = fetch(`http://127.0.0.1:${port}/slow`);
  await until("all are asked", () => asked.length === 3);
  await full();
  const stopping = stop();
  others[1]!.resume();
  // Longer than readers of streams have.
  void systemClock.sleep(1500).then(() => answered.resolve());
  expect(await (await slow).text()).toBe("whole");
  expect(await stopping).toBeLessThan(PROMPT_MS);
  for (const other of others) other.destroy();
});
