import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { callTool, REVISIONS } from "../helpers/agents.ts";
import { executable } from "../helpers/executable.ts";
import {
  type Ask,
  allow,
  bearer,
  connect,
  cookieOf,
  refresh,
  register,
  requestOf,
  type Tokens,
  tradeCode,
} from "../helpers/oauth.ts";
import { askAt, connectOfficialClient, driveStrictClient } from "../helpers/oauth-drivers.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const data = scratch.at("data");
let command: string;
let server: RunningServer;
let base: string;
let ask: Ask;
let cookie: string;

const start = (port: string) =>
  startProgram(data, {
    command: [command],
    cwd: scratch.path,
    args: ["serve", "--no-open", "--port", port],
  });

beforeAll(async () => {
  command = await executable();
  server = await start("0");
  base = server.url;
  ask = askAt(base);
  cookie = cookieOf(await fetch(server.signinUrl, { redirect: "manual" }));
}, 240_000);
afterAll(async () => {
  await server?.stop();
  scratch.remove();
});

/** The power goes, and the server is started again where it was. */
async function killAndRestart(): Promise<void> {
  await server.stop("SIGKILL");
  server = await start(new URL(base).port);
}

const statusOf = async (token: string) => (await ask("/v1/traces", bearer(token))).status;
const request = (clientId: string) => requestOf(clientId, { resource: base });

test("the executable lets oauth4webapi in", async () => {
  expect(await driveStrictClient({ base, cookie })).toEqual(["mcp:read mcp:run", "200", "401"]);
});

test.each([...REVISIONS])("the executable lets the official MCP client in, revision %s", async (revision) => {
  const { client } = await connectOfficialClient({ base, cookie }, revision);
  expect(await callTool(client, "list_traces")).toMatchObject({ isError: false, answer: { items: [] } });
  await client.close();
});

test("what was answered outlives kill -9: client, consent, code, tokens, and what was used up", async () => {
  const clientId = await register(ask);
  await killAndRestart();
  const back = await allow(ask, cookie, request(clientId), { origin: base });
  const code = back.searchParams.get("code")!;
  await killAndRestart();
  const tokens = (await (await tradeCode(ask, clientId, code)).json()) as Tokens;
  await killAndRestart();
  expect(await statusOf(tokens.access_token)).toBe(200);
  const next = (await (await refresh(ask, clientId, tokens.refresh_token)).json()) as Tokens;
  await killAndRestart();
  expect((await refresh(ask, clientId, tokens.refresh_token)).status).toBe(400);
  expect(await statusOf(next.access_token)).toBe(200);
  expect((await tradeCode(ask, clientId, code)).status).toBe(400);
  await killAndRestart();
  expect(await statusOf(next.access_token)).toBe(401);
});

test("kill -9 while it trades leaves a code that works, or one that was used with its tokens; never half of it", async () => {
  const { clientId, tokens } = await connect(ask, cookie, { resource: base }, { origin: base });
  let refreshToken = tokens.refresh_token;
  for (const pause of [0, 1, 2, 4]) {
    const back = await allow(ask, cookie, request(clientId), { origin: base });
    const trades = [
      tradeCode(ask, clientId, back.searchParams.get("code")!),
      refresh(ask, clientId, refreshToken),
    ].map((trade) => trade.catch(() => null));
    await Bun.sleep(pause);
    await killAndRestart();
    await Promise.all(trades);
    const file = new Database(join(data, "tracedeck.db"), { readonly: true });
    const halves = file
      .query(
        `select g.id from oauth_grants g where (g.code_used_at is null) <> not exists
           (select 1 from oauth_tokens t where t.grant_id = g.id and t.kind = 'refresh')
         union select g.id from oauth_grants g where g.code_used_at is not null and g.revoked_at is null
           and (select count(*) from oauth_tokens t where t.grant_id = g.id and t.kind = 'refresh' and t.used_at is null) <> 1`,
      )
      .all();
    file.close();
    expect(halves).toEqual([]);
    refreshToken = (await connect(ask, cookie, { resource: base }, { clientId, origin: base })).tokens
      .refresh_token;
  }
});
