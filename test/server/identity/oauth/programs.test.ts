import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { callTool, newClient } from "../../../helpers/agents.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { ownerCookie, register } from "../../../helpers/oauth.ts";
import { askAt, type Consenter, consent } from "../../../helpers/oauth-drivers.ts";
import { scratchFolder } from "../../../helpers/program.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(60_000);

const PACKAGES = join(import.meta.dir, "../../../../node_modules");
const CONFORMANCE = join(PACKAGES, "@modelcontextprotocol/conformance/dist/index.js");
const INSPECTOR = join(PACKAGES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const REMOTE = join(PACKAGES, "mcp-remote/dist/proxy.js");

const scratch = scratchFolder();
let t: TestApp;
let who: Consenter;
beforeAll(async () => {
  t = await testApp({ settings: { oauth: { client_metadata_documents: true } } });
  who = { base: t.listen(), cookie: await ownerCookie(t) };
});
afterAll(async () => {
  await t.close();
  scratch.remove();
});

/** Allows, as the person would in the browser, the first request that a program prints, and leads the browser back to it. */
async function consentTo(output: AsyncIterable<Uint8Array>): Promise<void> {
  const printed = Promise.withResolvers<URL>();
  void (async () => {
    let said = "";
    // To the end: a program that can print no more may stop.
    for await (const chunk of output) {
      said += new TextDecoder().decode(chunk);
      const [url] = /http:\S+\/api\/oauth\/authorize\?\S+(?=\s)/.exec(said) ?? [];
      if (url) printed.resolve(new URL(url));
    }
    printed.reject(new Error(`No request was printed: ${said}`));
  })();
  const back = await consent(who, await printed.promise);
  // A program may print the request before it listens for the answer.
  await until("the program listens", () =>
    fetch(back).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

/** No browser is to be found, and nobody's own files. */
const ENV = { PATH: "/nonexistent", HOME: scratch.at("home"), MCP_REMOTE_CONFIG_DIR: scratch.at("remote") };

test("the official suite's part for authorization servers passes", async () => {
  const redirect = `http://127.0.0.1:${freePort()}/callback`;
  const clientId = await register(askAt(who.base), { redirect_uris: [redirect] });
  const out = scratch.at("conformance");
  const child = Bun.spawn(
    [
      ...[process.execPath, CONFORMANCE, "authorization", "--url", who.base, "--client-id", clientId],
      ...["--resource", who.base, "--port", new URL(redirect).port, "--output-dir", out],
    ],
    { stdio: ["ignore", "pipe", "ignore"], env: ENV },
  );
  await consentTo(child.stdout);
  await child.exited;
  const checks = readdirSync(out).map(
    (folder) =>
      Bun.file(join(out, folder, "checks.json")).json() as Promise<{ id: string; status: string }[]>,
  );
  const all = (await Promise.all(checks)).flat();
  expect(all.map(({ id, status }) => [id, status]).sort()).toEqual(
    ["authorization-code-grant", "authorization-server-metadata", "authorization-server-metadata-cimd"].map(
      (id) => [id, "SUCCESS"],
    ),
  );
});

test("mcp-remote brings an agent on stdio in by the address alone", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [REMOTE, `${who.base}/mcp`, String(freePort())],
    env: ENV,
    stderr: "pipe",
  });
  const client = newClient("2025-11-25");
  const connected = client.connect(transport);
  await consentTo(transport.stderr as unknown as AsyncIterable<Uint8Array>);
  await connected;
  expect(await callTool(client, "list_traces")).toMatchObject({ isError: false });
  await client.close();
});

test("the inspector's command line signs in by itself", async () => {
  const child = Bun.spawn(
    [
      ...[process.execPath, INSPECTOR, "--cli", `${who.base}/mcp`, "--transport", "http"],
      ...["--callback-url", `http://127.0.0.1:${freePort()}/oauth/callback`],
      ...["--method", "tools/call", "--tool-name", "list_traces"],
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...ENV, MCP_AUTO_OPEN_ENABLED: "true" } },
  );
  const said = new Response(child.stdout).text();
  await consentTo(child.stderr);
  expect([await child.exited, JSON.parse(await said)]).toMatchObject([
    0,
    { structuredContent: { items: [] } },
  ]);
});

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}
