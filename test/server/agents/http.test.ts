import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { callTool, connectAgent, keyWith } from "../../helpers/agents.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { events } from "../../helpers/bundles.ts";
import { pathOf, uploadTrace } from "../../helpers/traces.ts";

let t: TestApp;
let id: string;

beforeAll(async () => {
  t = await testApp();
  ({ id } = await uploadTrace(t));
});
afterAll(() => t.close());

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const message = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const listing = message("tools/call", { name: "list_traces", arguments: {} });

const send = (headers: Record<string, string> = {}, body: unknown = listing, init: RequestInit = {}) =>
  t.api("/mcp", {
    method: "POST",
    headers: { ...HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });

const kindOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: unknown }).error,
];

describe("against pages of other sites (DNS rebinding)", () => {
  test("a foreign Origin is refused, also with a good key; that of this server and none are taken", async () => {
    for (const origin of ["https://evil.test", "http://localhost.evil.test", "http://localhost:1", "null"])
      expect([origin, ...(await kindOf(await send({ origin })))]).toEqual([origin, 403, "forbidden"]);
    for (const headers of [{}, { origin: "http://localhost" }])
      expect((await send(headers as Record<string, string>)).status).toBe(200);
  });

  test("a foreign Host is refused before anything else", async () => {
    for (const host of ["evil.test", "localhost.evil.test", "127.0.0.1.nip.io"])
      expect(await kindOf(await send({ host, authorization: "" }))).toEqual([421, "misdirected_request"]);
  });
});

describe("credentials", () => {
  test("none, a wrong one and a revoked key are 401 with a challenge", async () => {
    const key = await keyWith(t, ["mcp:read"]);
    const { items } = (await (await t.api("/v1/api-keys")).json()) as {
      items: { id: string; name: string }[];
    };
    const made = items.find(({ name }) => name === "agent")!;
    expect((await send({ authorization: `Bearer ${key}` })).status).toBe(200);
    await t.api(`/v1/api-keys/${made.id}`, { method: "DELETE" });
    for (const authorization of ["", "Bearer product_sk_none", `Bearer ${key}`, "Basic eA=="]) {
      const response = await send({ authorization });
      const error = authorization === "" ? "" : 'error="invalid_token", ';
      expect(response.headers.get("www-authenticate")).toBe(
        `Bearer resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp", ${error}scope="mcp:read mcp:run"`,
      );
      expect(await kindOf(response)).toEqual([401, "unauthorized"]);
    }
  });

  test("a session cookie is for pages and not taken", async () => {
    const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base: "http://localhost" });
    const signedIn = await t.api(pathOf(url), { headers: { authorization: "" } });
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    const response = await send({ authorization: "", cookie, origin: "http://localhost" });
    expect(await kindOf(response)).toEqual([401, "unauthorized"]);
  });

  test("a key cannot be used for an org that it does not belong to", async () => {
    expect(await kindOf(await send({ "x-org-id": "00000000-0000-7000-8000-000000000000" }))).toEqual([
      403,
      "wrong_org",
    ]);
  });
});

describe("bodies", () => {
  test("over 1 MiB are refused, said or not said before", async () => {
    const large = JSON.stringify(
      message("tools/call", { name: "list_traces", arguments: { q: "x".repeat(2 ** 20) } }),
    );
    expect(await kindOf(await send({}, large))).toEqual([413, "body_too_large"]);
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024).fill(32)),
    });
    expect(await kindOf(await send({}, "", { body: stream }))).toEqual([413, "body_too_large"]);
  });

  test("that are no single JSON-RPC message are refused", async () => {
    for (const body of [
      "",
      "{",
      "[]",
      JSON.stringify([listing, listing]),
      "1",
      '"x"',
      "null",
      "[".repeat(5000),
    ])
      expect([body.slice(0, 9), (await send({}, body)).status]).toEqual([body.slice(0, 9), 400]);
    expect((await send({ "content-type": "text/plain" })).status).toBe(415);
    for (const body of [{}, { jsonrpc: "1.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: {}, method: 3 }])
      expect((await send({}, body)).status).toBe(400);
  });

  test("other methods than POST are 405: there are no sessions and no stream to open", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await t.api("/mcp", { method });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST"]);
    }
  });
});

test("an unknown tool, method or prompt is an error of the protocol, not of the server", async () => {
  const client = await connectAgent(t);
  await expect(callTool(client, "product_no_such_tool", {})).rejects.toThrow("not found");
  await expect(client.getPrompt({ name: "nope" })).rejects.toThrow("not found");
  await expect(client.readResource({ uri: `product://nothing/${t.orgId}` })).rejects.toThrow("not found");
  await client.close();
});

test("fifty calls at once are each answered with their own", async () => {
  const client = await connectAgent(t);
  const words = Array.from({ length: 50 }, (_, at) => `line ${at % 10}`);
  const answers = await Promise.all(
    words.map((q) => callTool<{ hits: { excerpt: string }[] }>(client, "search_trace", { trace_id: id, q })),
  );
  expect(answers.map(({ answer }, at) => answer.hits[0]!.excerpt.includes(words[at]!))).toEqual(
    words.map(() => true),
  );
  await client.close();
});

test("a call that its client leaves is no error, and the next one is answered", async () => {
  const big = Array.from({ length: 3000 }, (_, at) =>
    JSON.stringify({ seq: at + 1, ts: 1000 + at, kind: "console.log", text: `line ${at}` }),
  );
  const trace = await uploadTrace(t, { entries: [events(`${big.join("\n")}\n`)] });
  const url = t.listen();
  const control = new AbortController();
  const body = JSON.stringify(
    message("tools/call", { name: "compare_traces", arguments: { a: id, b: trace.id } }),
  );
  const headers = { ...HEADERS, authorization: `Bearer ${t.apiKey}` };
  const call = fetch(`${url}/mcp`, { method: "POST", headers, body, signal: control.signal });
  await new Promise(setImmediate);
  control.abort();
  await expect(call).rejects.toThrow();
  const again = await fetch(`${url}/mcp`, { method: "POST", headers, body });
  expect(await again.text()).toContain("first_divergence");
  expect(t.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

describe("limits of an org", () => {
  test("a call counts as a read, one that writes as a write too, and who comes too often is told when to come again", async () => {
    const small = await testApp({ settings: { rate_limits: { reads_per_minute: 6, writes_per_minute: 1 } } });
    const ask = (name: string, args: object = {}) =>
      small.api("/mcp", {
        method: "POST",
        headers: HEADERS,
        body: JSON.stringify(message("tools/call", { name, arguments: args })),
      });
    expect((await ask("list_traces")).headers.get("ratelimit-policy")).toBe('"read";q=6;w=60');
    const run = () => ask("product_run_scenarios", { scenarios: ["nope"] });
    expect(await (await run()).text()).toContain("not_found");
    expect(await (await run()).text()).toContain("rate_limited");
    for (let left = 3; left > 0; left--) expect((await ask("list_traces")).status).toBe(200);
    const refused = await ask("list_traces");
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    await small.close();
  });
});

test("a stream on which a client waits for news ends with the server", async () => {
  const own = await testApp();
  const client = await connectAgent(own, { revision: "2026-07-28" });
  const subscription = await client.listen({ toolsListChanged: true });
  await own.close();
  await subscription.closed;
  await client.close();
});
