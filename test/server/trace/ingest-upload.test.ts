import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";
import { leftovers } from "../../helpers/leftovers.ts";
import { until } from "../../helpers/until.ts";

const BOUNDARY = "----the-boundary";
const CAP = 4_000_000;
const noise = crypto.getRandomValues(new Uint8Array(65_536));

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await testApp({ settings: { upload_cap_bytes: CAP } });
  port = Number(new URL(app.listen()).port);
});
afterAll(() => app.close());
afterEach(async () => {
  await until("the staging folder is empty", () => readdirSync(app.store.layout.tmp).length === 0);
  expect(await leftovers(app)).toEqual([]);
});

/** A client that says and sends exactly what it is told. */
function client(headers: Record<string, string>) {
  const socket: Socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => (answer += data));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const lines = {
    host: "localhost",
    authorization: `Bearer ${app.apiKey}`,
    "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /v1/traces/ingest HTTP/1.1\r\n${head.join("")}\r\n`);
  const write = (data: string | Uint8Array) =>
    new Promise<void>((resolve) => socket.write(data, () => resolve()));
  return {
    socket,
    closed,
    write,
    chunk(data: string | Uint8Array) {
      const bytes = Buffer.from(data);
      return write(
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]),
      );
    },
    async answered() {
      await until("an answer", () => answer.includes("\r\n\r\n") && answer.endsWith("}"));
      const [head, body] = answer.split("\r\n\r\n") as [string, string];
      return {
        status: Number(head.split(" ")[1]),
        body: JSON.parse(body) as { error: string; message: string },
      };
    },
  };
}

const FILE_PART = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="bundle"; filename="x"\r\n\r\n`;
const SLUG_PART = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="scenario_slug"\r\n\r\nslug\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;

/** Whether the server is in the middle of writing an upload. */
function isStaging(atLeast = 0): boolean {
  const [folder] = readdirSync(app.store.layout.tmp);
  if (!folder) return false;
  const file = join(app.store.layout.tmp, folder, "upload");
  try {
    return statSync(file).size >= atLeast;
  } catch {
    return false;
  }
}

test("a client that goes away in the middle leaves nothing", async () => {
  const { socket, write } = client({ "content-length": String(CAP) });
  await write(SLUG_PART + FILE_PART);
  for (let sent = 0; sent < 10; sent++) await write(noise);
  await until("the upload is on disk in part", () => isStaging(100_000));
  socket.destroy();
});

test("a client that goes away while its bundle is taken apart leaves nothing", async () => {
  const pictures = Array.from({ length: 12 }, () => blob(crypto.getRandomValues(new Uint8Array(65_536))));
  const file = bundle([manifest(), events(eventLines(20)), ...pictures]);
  const { socket, write } = client({ "content-length": String(CAP) });
  await write(SLUG_PART + FILE_PART);
  await write(file.subarray(0, file.length - 100_000));
  // The folder is there before the one of its blobs is.
  const isOut = () => [...new Bun.Glob("*/blobs/*").scanSync(app.store.layout.tmp)].length > 0;
  await until("some of it is out", isOut);
  socket.destroy();
});

test("a body that ends before its length leaves nothing", async () => {
  const { socket, write, closed } = client({ "content-length": String(CAP) });
  await write(SLUG_PART + FILE_PART);
  await write(noise);
  await until("the upload has begun", () => isStaging());
  socket.end();
  await closed;
});

test("a chunked body without its last boundary is refused", async () => {
  const { chunk, write, answered } = client({ "transfer-encoding": "chunked" });
  await chunk(SLUG_PART + FILE_PART);
  await chunk(noise);
  await write("0\r\n\r\n");
  expect(await answered()).toMatchObject({
    status: 400,
    body: { error: "invalid_request", message: expect.stringContaining("ended") },
  });
});

for (const [what, part] of [
  ["its file", FILE_PART],
  ["a file of another name", FILE_PART.replace("bundle", "trace")],
] as const)
  test(`a form that ends within ${what} is refused, also when all of it comes at once`, async () => {
    const { write, answered } = client({ "transfer-encoding": "chunked" });
    const body = `${SLUG_PART}${part}the beginning`;
    await write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(await answered()).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

test("a client that stalls is given up after a minute, by the server's clock", async () => {
  const { chunk, answered, socket } = client({ "transfer-encoding": "chunked" });
  await chunk(SLUG_PART + FILE_PART);
  await chunk(noise);
  await until("the upload has begun", () => isStaging());
  app.clock.advance(60_000);
  // The first minute brought more than the least; the second brings nothing.
  await until("a second minute has begun", async () => {
    app.clock.advance(60_000);
    return readdirSync(app.store.layout.tmp).length === 0;
  });
  expect(await answered()).toMatchObject({
    status: 408,
    body: { error: "invalid_request", message: expect.stringContaining("given up") },
  });
  socket.destroy();
});

test("a declared length over the cap is 413 before the file is sent", async () => {
  const { answered, socket } = client({ "content-length": String(CAP * 100) });
  expect(await answered()).toMatchObject({ status: 413, body: { error: "bundle_too_large" } });
  socket.destroy();
});

test("an undeclared length over the cap is 413 as soon as it is passed", async () => {
  const { chunk, answered, socket } = client({ "transfer-encoding": "chunked" });
  await chunk(SLUG_PART + FILE_PART);
  for (let sent = 0; sent <= CAP; sent += noise.length) await chunk(noise);
  expect(await answered()).toMatchObject({ status: 413, body: { error: "bundle_too_large" } });
  socket.destroy();
});

/** Sends an upload to a server of its own, piece by piece; the server checks every blob against its hash. */
async function uploaded(file: Uint8Array, sizes: { next(): number }, epilogue = 0): Promise<Response> {
  const own = await testApp();
  try {
    const form = new Response(uploadForm(file));
    const type = form.headers.get("content-type")!;
    const bytes = Buffer.concat([new Uint8Array(await form.arrayBuffer()), Buffer.alloc(epilogue)]);
    return await fetch(`${own.listen()}/v1/traces/ingest`, {
      method: "POST",
      headers: { authorization: `Bearer ${own.apiKey}`, "content-type": type },
      body: new ReadableStream({
        async pull(controller) {
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes.next();
            controller.enqueue(bytes.subarray(at, at + size));
            at += size;
            if (turn % 10 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
          }
          controller.close();
        },
      }),
    });
  } finally {
    await own.close();
  }
}

test("an upload in tiny pieces is taken whole", async () => {
  const file = bundle([manifest(), events(eventLines(20))]);
  expect((await uploaded(file, { next: () => 7 })).status).toBe(200);
});

test("megabytes in pieces of all sizes are taken whole, whatever follows the form", async () => {
  const pictures = Array.from({ length: 60 }, () => blob(crypto.getRandomValues(new Uint8Array(65_536))));
  const file = bundle([manifest(), events(eventLines(20)), ...pictures]);
  let turn = 0;
  const sizes = { next: () => [1, 300_000, 17, 65_536, 4_095, 900_000, 100][turn++ % 7]! };
  expect((await uploaded(file, sizes, 500_000)).status).toBe(200);
});

test("the end of the form may be followed by nothing but is found in any split", async () => {
  const { chunk, write, answered } = client({ "transfer-encoding": "chunked" });
  const whole = `${SLUG_PART}${FILE_PART}no bundle${END}`;
  for (const byte of whole) await chunk(byte);
  await write("0\r\n\r\n");
  expect(await answered()).toMatchObject({ status: 400, body: { error: "bundle_unreadable" } });
});
