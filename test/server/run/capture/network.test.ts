import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:net";
import type { CaptureSink } from "../../../../server/run/capture/sink.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(60_000);

const SLOW_MS = 300;
const PAGE = `<p id=state>waiting</p><script>
  const say = (text) => document.querySelector("#state").textContent += " " + text;
  fetch("/slow", { method: "POST", body: "question=1" }).then((answer) => answer.text()).then((text) => say(text));
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/live");
  socket.onopen = () => { socket.send("hello"); socket.send(new Uint8Array([1, 2, 255])); };
  socket.onmessage = ({ data }) => { say("heard " + data); socket.close(); };
</script>`;

let lab: RunLab;
let site: Bun.Server<undefined>;
/** How long the server really took, ms: to its first byte, and to its last. */
const took = { first: 0, last: 0 };
beforeAll(async () => {
  lab = await runLab();
  site = Bun.serve<undefined>({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request, server) {
      const { pathname } = new URL(request.url);
      if (pathname === "/live" && server.upgrade(request)) return;
      if (pathname !== "/slow") return new Response(PAGE, { headers: { "content-type": "text/html" } });
      const asked = performance.now();
      await Bun.sleep(SLOW_MS);
      took.first = performance.now() - asked;
      const answer = new ReadableStream({
        async start(controller) {
          controller.enqueue("slow ");
          await Bun.sleep(SLOW_MS);
          took.last = performance.now() - asked;
          controller.enqueue("answer");
          controller.close();
        },
      });
      return new Response(answer, { headers: { "content-type": "text/plain" } });
    },
    websocket: {
      message: (socket, text) => {
        if (typeof text === "string") socket.send(`${text} back`);
      },
    },
  });
});
afterAll(async () => {
  await site.stop(true);
  await lab.close();
});

interface Entry {
  startedDateTime: string;
  time: number;
  request: { url: string; method: string; postData?: { text: string } };
  response: { status: number; content: { text?: string; size: number } };
  timings: Record<string, number>;
  _webSocketMessages?: { type: string; opcode: number; data: string; time: number }[];
}

describe("the HAR of a run", () => {
  test("has the phases of a slow answer and every message of a WebSocket", async () => {
    const before = Date.now();
    const { traceId, status } = await lab.run(
      ['go to "/"', 'expect text "slow answer"', 'expect text "heard hello back"'],
      {
        baseUrl: site.url.origin,
      },
    );
    expect(status).toBe("passed");
    const answer = await lab.app.api(`/v1/traces/${traceId}/har`);
    const { log } = (await answer.json()) as { log: { entries: Entry[] } };
    const of = (path: string) => log.entries.find(({ request }) => new URL(request.url).pathname === path)!;

    const slow = of("/slow");
    expect(slow.request).toMatchObject({ method: "POST", postData: { text: "question=1" } });
    expect(slow.response).toMatchObject({ status: 200, content: { text: "slow answer", size: 11 } });
    const { wait, receive } = slow.timings as { wait: number; receive: number };
    // Where the machine is busy, the browser takes in the first byte later than it came: only their sum is sure.
    expect(wait).toBeGreaterThanOrEqual(took.first - 1);
    expect(receive).toBeGreaterThan(0);
    expect(wait + receive).toBeGreaterThanOrEqual(took.last - 1);
    expect(slow.time).toBeGreaterThanOrEqual(wait + receive - 0.2);
    const started = Date.parse(slow.startedDateTime);
    expect(started).toBeGreaterThanOrEqual(before);
    expect(started + slow.time).toBeLessThanOrEqual(Date.now());

    const live = of("/live");
    expect(live.response.status).toBe(101);
    expect(live._webSocketMessages).toMatchObject([
      { type: "send", opcode: 1, data: "hello" },
      { type: "send", opcode: 2, data: Buffer.from([1, 2, 255]).toString("base64") },
      { type: "receive", opcode: 1, data: "hello back" },
    ]);
    for (const { time } of live._webSocketMessages!) {
      expect(time * 1000).toBeGreaterThanOrEqual(Date.parse(live.startedDateTime) - 1);
      expect(time * 1000).toBeLessThanOrEqual(Date.now());
    }
  });
});

test("an answer that was told of as far as it came is not told again when its rest comes", async () => {
  const rest = Promise.withResolvers<void>();
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      if (new URL(request.url).pathname !== "/late")
        return new Response(
          "<p>here<script>fetch('/late').then((one) => document.body.append(' begun'))</script>",
          {
            headers: { "content-type": "text/html" },
          },
        );
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue("begun ");
          await rest.promise;
          controller.enqueue("ended");
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/plain" } });
    },
  });
  const lines: { kind: string; url?: string; is_cut?: boolean }[] = [];
  const sink: CaptureSink = {
    pace: { eventsMs: 5, blobsMs: 5 },
    begin: async () => ({ traceId: "t", shortId: "s" }),
    async chunk(_, bytes) {
      const text = (await Bun.zstdDecompress(bytes)).toString().trimEnd();
      lines.push(...text.split("\n").map((line) => JSON.parse(line)));
      if (lines.some(({ is_cut }) => is_cut)) rest.resolve();
    },
    blobs: async () => {},
    artifact: async () => {},
    end: async () => {},
  };
  try {
    await lab.run(['go to "/"', 'expect text "begun"'], { baseUrl: site.url.origin, sink });
  } finally {
    rest.resolve();
    await site.stop(true);
  }
  const answers = lines.filter(({ kind, url }) => kind === "network.response" && url?.endsWith("/late"));
  expect(answers).toHaveLength(1);
});

test("an answer that its page did not read to the end has the status that came, and an error only where one came", async () => {
  const endless = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue("begun "),
    });
  const plain = { "content-type": "text/plain" };
  const page = (broken: string) => `<script>
    fetch("/unread", { method: "POST" });
    const stop = new AbortController();
    fetch("/given-up", { signal: stop.signal }).then(() => stop.abort());
    fetch("${broken}").then((answer) => answer.text()).catch(() => document.body.append("Broken"));
  </script>`;
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/unread") return new Response(null, { status: 404 });
      if (pathname === "/given-up") return new Response(endless(), { headers: plain });
      return new Response(page(`http://127.0.0.1:${liar.port}/broken`), {
        headers: { "content-type": "text/html" },
      });
    },
  });
  // It promises more than it sends.
  const liar = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket) => {
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\naccess-control-allow-origin: *\r\n\r\nbegun");
      },
    },
  });
  try {
    const { traceId, error } = await lab.run(
      [
        'go to "/"',
        'expect text "Broken"',
        'expect request POST "/unread" status 404',
        'expect request GET "/given-up" status 200',
      ],
      { baseUrl: site.url.origin, excludeOrigins: [`http://127.0.0.1:${liar.port}`] },
    );
    expect(error).toBeNull();
    const answers = await lab.events(traceId, "&kind=network.response");
    const of = (path: string) => answers.find(({ url }) => String(url).endsWith(path));
    expect(of("/unread")).toMatchObject({ status: 404, method: "POST" });
    expect(of("/given-up")).toMatchObject({ status: 200, media_type: "text/plain", is_cut: true });
    for (const path of ["/unread", "/given-up"]) expect(of(path)).not.toHaveProperty("error");
    expect(of("/broken")).toMatchObject({
      status: 200,
      is_cut: true,
      error: expect.stringContaining("net::"),
    });
  } finally {
    await site.stop(true);
    liar.stop(true);
  }
});

test("a body whose answer says two sizes is told of by the one that came", async () => {
  const size = 80 << 20;
  const site = createServer((socket) => {
    socket.once("data", (head) => {
      const isPage = String(head).startsWith("GET / ");
      const body = isPage
        ? "<script>fetch('/two').then((one) => one.text()).then(() => document.write('Loaded'))</script>"
        : "x".repeat(size);
      const headers = `content-type: text/${isPage ? "html" : "plain"}\r\ncontent-length: 5\r\ntransfer-encoding: chunked`;
      socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = site.address() as { port: number };
    const { traceId, error } = await lab.run(['go to "/"', 'expect text "Loaded"'], {
      baseUrl: `http://127.0.0.1:${port}`,
    });
    expect(error).toBeNull();
    const answers = await lab.events(traceId, "&kind=network.response");
    const answer = answers.find(({ url }) => String(url).endsWith("/two"));
    expect(Number(answer?.body_size)).toBeGreaterThanOrEqual(size);
    expect(answer).not.toHaveProperty("body");
  } finally {
    site.close();
  }
});
