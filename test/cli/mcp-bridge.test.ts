import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { createBridge, type Message } from "../../server/cli/mcp-bridge.ts";
import { clientAt } from "../../server/cli/server-client.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});

const reply = (id: number): Message => ({ jsonrpc: "2.0", id, result: {} });
const call = (id: number): Message => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "product_run_scenarios" },
});
const list = (id: number): Message => ({ jsonrpc: "2.0", id, method: "tools/list" });

/** A server on a socket that tells what it took and does what it is told with the connection. */
async function listen(react: (socket: Socket, message: Message) => void) {
  const taken: Message[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk;
      const body = text.split("\r\n\r\n")[1];
      if (!body?.endsWith("}")) return;
      text = "";
      const message = JSON.parse(body) as Message;
      taken.push(message);
      react(socket, message);
    });
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, taken };
}

const answers = (socket: Socket, { id }: Message): void => {
  respond(socket, "application/json", JSON.stringify(reply(id as number)));
};

function respond(socket: Socket, type: string, body: string, length = body.length): void {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`);
}

/** A bridge to the first of these servers, and to the next whenever one is lost. */
function bridgeTo(...urls: string[]) {
  const written: Message[] = [];
  let at = 0;
  const bridge = createBridge(
    {
      client: async () => clientAt({ url: urls[at]!, apiKey: "k" }),
      lost: () => {
        at = Math.min(at + 1, urls.length - 1);
      },
    },
    (message) => written.push(message),
  );
  return { bridge, written };
}

const messageOf = ({ error }: Message): string => (error as { message: string }).message;

test("a call is not sent again when the server may have taken it, and the agent hears that", async () => {
  const dies = await listen((socket) => socket.destroy());
  const next = await listen(answers);
  const { bridge, written } = bridgeTo(dies.url, next.url);
  await bridge.take(call(1));
  expect([dies.taken.length, next.taken.length, written.length]).toEqual([1, 0, 1]);
  expect(written[0]!.id).toBe(1);
  expect(messageOf(written[0]!)).toContain("Whether product_run_scenarios was carried out is not known.");

  // What is asked next goes to the server that is there by then.
  await bridge.take(call(2));
  expect([next.taken.length, written[1]]).toEqual([1, reply(2)]);
});

test("a call goes to the next server when nothing listened at the first one, and so does what only reads in any case", async () => {
  const next = await listen(answers);
  const refused = bridgeTo("http://127.0.0.1:1", next.url);
  await refused.bridge.take(call(1));
  expect(refused.written).toEqual([reply(1)]);

  const dies = await listen((socket) => socket.destroy());
  const read = bridgeTo(dies.url, next.url);
  await read.bridge.take(list(2));
  expect(read.written).toEqual([reply(2)]);
});

test("a server that cannot be reached at all is told as such, without a doubt about the call", async () => {
  const { bridge, written } = bridgeTo("http://127.0.0.1:1");
  await bridge.take(call(1));
  expect(messageOf(written[0]!)).toEndWith("cannot be reached: nothing listens there.");
});

test.each([
  ["breaks", (socket: Socket) => void respond(socket, "application/json", '{"jsonrpc"', 100)],
  ["ends early", (socket: Socket) => void respond(socket, "text/event-stream", ": beat\n\n")],
])("a call whose answer %s is answered with an error", async (_, react) => {
  const server = await listen((socket) => {
    react(socket);
    socket.end();
  });
  const { bridge, written } = bridgeTo(server.url);
  await bridge.take(call(1));
  expect(written.map(({ id }) => id)).toEqual([1]);
  expect(messageOf(written[0]!)).toContain("carried out is not known");
});

test("a refusal without an id is the answer to the request that was refused", async () => {
  const error = { code: -32_600, message: "Bad request" };
  const server = await listen((socket) =>
    respond(socket, "application/json", JSON.stringify({ jsonrpc: "2.0", id: null, error })),
  );
  const { bridge, written } = bridgeTo(server.url);
  await bridge.take(list(7));
  expect(written).toEqual([{ jsonrpc: "2.0", id: 7, error }]);
});
