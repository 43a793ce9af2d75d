import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callTool, REVISIONS } from "../../../helpers/agents.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { anonymous, bearer, connect, ownerCookie } from "../../../helpers/oauth.ts";
import { type Consenter, connectOfficialClient, driveStrictClient } from "../../../helpers/oauth-drivers.ts";
import { uploadTrace } from "../../../helpers/traces.ts";

let t: TestApp;
let who: Consenter;
beforeAll(async () => {
  t = await testApp();
  who = { base: t.listen(), cookie: await ownerCookie(t) };
});
afterAll(() => t.close());

test("oauth4webapi finds, registers, trades, refreshes and revokes", async () => {
  expect(await driveStrictClient(who)).toEqual(["mcp:read mcp:run", "200", "401"]);
});

test.each([...REVISIONS])(
  "the official MCP client comes in by its address alone, revision %s",
  async (revision) => {
    const { id } = await uploadTrace(t);
    const { client, scope } = await connectOfficialClient(who, revision);
    expect(scope).toBe("mcp:read mcp:run");
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    expect(await callTool(client, "get_trace", { trace_id: id })).toMatchObject({ isError: false });
    await client.close();
  },
);

describe("a tool that needs more than was granted", () => {
  const call = (token: string, name: string) =>
    anonymous(t)("/mcp", {
      method: "POST",
      headers: {
        ...(bearer(token).headers as Record<string, string>),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
    });
  const cookieFor = () => ownerCookie(t);

  test("is refused as RFC 6750 says, with what to ask for", async () => {
    const { tokens } = await connect(anonymous(t), await cookieFor(), { scope: "mcp:debug" });
    const response = await call(tokens.access_token, "product_run_scenarios");
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      403,
      "insufficient_scope",
    ]);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp", error="insufficient_scope", scope="mcp:debug mcp:run"',
    );
    expect((await call(tokens.access_token, "product_debug_run")).status).toBe(200);
  });

  test("is told in the answer where the person could not grant it", async () => {
    const { tokens } = await connect(anonymous(t), await cookieFor(), { scope: "mcp:debug" });
    const setRole = async (role: "billing" | "owner") => {
      await t.store.records.updateTable("memberships").set({ role }).execute();
      t.deps.credentials.forgetUser(t.userId);
    };
    await setRole("billing");
    const response = await call(tokens.access_token, "list_traces");
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining("insufficient_scope"),
    ]);
    await setRole("owner");
  });

  test("a token for another host is refused at /mcp with the challenge", async () => {
    const { tokens } = await connect(anonymous(t), await cookieFor());
    const response = await anonymous(t)("/mcp", {
      method: "POST",
      headers: { host: "127.0.0.1", authorization: `Bearer ${tokens.access_token}` },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain(
      'resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp", error="invalid_token"',
    );
  });

  test("pages of other sites and other names of the machine are refused with a good token (DNS rebinding)", async () => {
    const { tokens } = await connect(anonymous(t), await cookieFor());
    const authorization = `Bearer ${tokens.access_token}`;
    const status = async (headers: Record<string, string>) =>
      (await anonymous(t)("/mcp", { method: "POST", headers: { authorization, ...headers } })).status;
    expect(await status({ origin: "https://evil.test" })).toBe(403);
    expect(await status({ host: "evil.test" })).toBe(421);
  });
});
