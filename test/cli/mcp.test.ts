import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runningServer } from "../../server/main.ts";
import { callTool, newClient, REVISIONS, type Revision } from "../helpers/agents.ts";
import { PROGRAM, type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

const scratch = scratchFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await startProgram(scratch.at("served"));
});
afterAll(async () => {
  await server.stop();
  scratch.remove();
});

const ENV = { PATH: process.env.PATH!, HOME: "/nonexistent", TRACEDECK_PORT: "0" };

/** The official client on the program's standard input and output. */
async function connect(args: string[], { revision = "2025-11-25" as Revision, env = {} } = {}) {
  const [command = "", ...first] = PROGRAM;
  const transport = new StdioClientTransport({
    command,
    args: [...first, "mcp", ...args],
    env: { ...ENV, ...env },
    stderr: "pipe",
  });
  const client = newClient(revision);
  await client.connect(transport);
  return client;
}

describe.each([...REVISIONS])("in revision %s", (revision) => {
  test("an agent on stdio is offered what /mcp offers, by the server of the data folder", async () => {
    const client = await connect(["--data", scratch.at("served")], { revision });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("get_cause");
    const { answer } = await callTool<{ items: unknown[] }>(client, "list_traces");
    expect(answer.items).toEqual([]);
    const { text } = await callTool(client, "get_cause", { trace_id: "nope" });
    expect(text).toContain("trace_id");
    await client.close();
  });
});

test("another server is used with --server and a key, which may stand in the environment", async () => {
  const client = await connect(["--server", server.url], { env: { TRACEDECK_KEY: server.apiKey } });
  expect((await callTool(client, "list_traces")).isError).toBe(false);
  await client.close();
});

test("clients that speak stdio alone come to /mcp by mcp-remote too", async () => {
  const remote = join(import.meta.dir, "../../node_modules/mcp-remote/dist/proxy.js");
  const transport = new StdioClientTransport({
    command: "node",
    args: [remote, `${server.url}/mcp`, "--allow-http", "--header", `Authorization: Bearer ${server.apiKey}`],
    env: { PATH: process.env.PATH!, HOME: scratch.path },
    stderr: "ignore",
  });
  const client = newClient("2025-11-25");
  await client.connect(transport);
  expect((await callTool(client, "list_traces")).isError).toBe(false);
  await client.close();
});

test("a key that the server does not know is told as such", async () => {
  const wrong = connect(["--server", server.url, "--api-key", "product_sk_wrong"]);
  await expect(wrong).rejects.toThrow("not known");
});

test("a server that does not answer is told as such", async () => {
  await expect(connect(["--server", "http://localhost:1", "--api-key", "x"])).rejects.toThrow(
    "http://localhost:1 cannot be reached",
  );
});

test("a wrong use is told on standard error, and nothing is printed where messages belong", async () => {
  for (const args of [
    ["--server", server.url],
    ["--api-key", "x"],
    ["--server", "ftp://x"],
    ["--server", server.url, "--api-key", ""],
  ]) {
    const { code, stdout } = await runProgram(["mcp", ...args, "--data", scratch.at("served")]);
    expect([args, code, stdout]).toEqual([args, 2, ""]);
  }
});

test("messages that are piped in are answered, also those that come right before the end of the input", async () => {
  const ask = (id: number, method: string, params = {}) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const client = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "sh", version: "1" },
  };
  const lines = [
    ask(1, "initialize", client),
    "no message",
    '{"jsonrpc":"2.0"}',
    ask(2, "tools/call", { name: "list_traces", arguments: {} }),
  ];
  const { code, stdout, stderr } = await runProgram(["mcp", "--data", scratch.at("served")], {
    input: `${lines.join("\n")}\n`,
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result?: object });
  expect([code, answers.map(({ id }) => id).sort()]).toEqual([0, [1, 2]]);
  expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  // What is no message is told in one line, not in the words of whoever looked.
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("no JSON-RPC message")]);
});

test("without a server the first agent's process becomes it, a second agent joins, and takes over when the first goes", async () => {
  const data = scratch.at("alone");
  const first = await connect(["--data", data]);
  const { answer } = await callTool<{ items: unknown[] }>(first, "list_traces");
  expect(answer.items).toEqual([]);
  const holder = runningServer(data);
  expect((await fetch(new URL("/health", holder!.url!))).status).toBe(200);

  const second = await connect(["--data", data]);
  expect((await callTool(second, "list_traces")).isError).toBe(false);
  expect(runningServer(data)?.pid).toBe(holder!.pid);

  await first.close();
  expect((await callTool(second, "list_traces")).isError).toBe(false);
  expect(runningServer(data)!.pid).not.toBe(holder!.pid);
  await second.close();
  expect(runningServer(data)).toBeNull();
});
