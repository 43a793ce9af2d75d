import { afterAll, beforeAll, expect, test } from "bun:test";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { callTool, newClient, REVISIONS } from "../helpers/agents.ts";
import { executable } from "../helpers/executable.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";

const scratch = scratchFolder();
let command: string;
let server: RunningServer;

beforeAll(async () => {
  command = await executable();
  server = await startProgram(scratch.at("data"), { command: [command], cwd: scratch.path });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  scratch.remove();
});

test.each([...REVISIONS])(
  "the executable speaks revision %s with agents, over HTTP and on stdio",
  async (revision) => {
    const requestInit = { headers: { authorization: `Bearer ${server.apiKey}` } };
    const args = ["mcp", "--data", scratch.at("data")];
    for (const transport of [
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }),
      new StdioClientTransport({ command, args, env: { PATH: process.env.PATH! }, stderr: "ignore" }),
    ]) {
      const client = newClient(revision);
      await client.connect(transport);
      expect((await client.listTools()).tools.length).toBeGreaterThan(10);
      expect(await callTool(client, "list_traces")).toMatchObject({ isError: false, answer: { items: [] } });
      await client.close();
    }
  },
);
