import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expandScopes } from "../../../../server/identity/scopes.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import {
  type Ask,
  allow,
  anonymous,
  answer,
  authorize,
  CALLBACK,
  fieldsOf,
  ORIGIN,
  ownerCookie,
  refusal,
  register,
  requestOf,
} from "../../../helpers/oauth.ts";
import { statement } from "../../../helpers/statement.ts";

let t: TestApp;
let ask: Ask;
let cookie: string;
let clientId: string;
beforeAll(async () => {
  t = await testApp();
  ask = anonymous(t);
  cookie = await ownerCookie(t);
  clientId = await register(ask);
});
afterAll(() => t.close());

const locationOf = (response: Response) => new URL(response.headers.get("location")!, ORIGIN);
const jsonOf = (path: string, init?: RequestInit) => ask(path, init).then((response) => response.json());

describe("the metadata", () => {
  test("say the same where clients look first", async () => {
    const server = await jsonOf("/.well-known/oauth-authorization-server");
    expect(server).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/api/oauth/authorize`,
      token_endpoint: `${ORIGIN}/api/oauth/token`,
      registration_endpoint: `${ORIGIN}/api/oauth/register`,
      revocation_endpoint: `${ORIGIN}/api/oauth/revoke`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
    });
    expect((server as { scopes_supported: string[] }).scopes_supported).toHaveLength(10);
    expect(await jsonOf("/.well-known/oauth-authorization-server/mcp")).toEqual(server);
    const resource = { authorization_servers: [ORIGIN], bearer_methods_supported: ["header"] };
    expect(await jsonOf("/.well-known/oauth-protected-resource")).toMatchObject({
      resource: ORIGIN,
      ...resource,
    });
    expect(await jsonOf("/.well-known/oauth-protected-resource/mcp")).toMatchObject({
      resource: `${ORIGIN}/mcp`,
      ...resource,
    });
  });

  test("name the address by which a client came, and no other host", async () => {
    const at = (host: string) => jsonOf("/.well-known/oauth-authorization-server", { headers: { host } });
    expect(await at("127.0.0.1:4173")).toMatchObject({ issuer: "http://127.0.0.1:4173" });
    expect(
      (await ask("/.well-known/oauth-authorization-server", { headers: { host: "evil.test" } })).status,
    ).toBe(421);
  });
});

test("behind a public URL, that is the issuer and the resource for whoever came by it", async () => {
  const own = await testApp({ flags: { publicUrl: "https://traces.example.com" } });
  const asking = anonymous(own);
  const at = (host: string) => asking("/.well-known/oauth-authorization-server", { headers: { host } });
  expect(await (await at("traces.example.com")).json()).toMatchObject({
    issuer: "https://traces.example.com",
  });
  expect(await (await at("localhost")).json()).toMatchObject({ issuer: ORIGIN });
  const request = requestOf(await register(asking), { resource: "https://traces.example.com/mcp" });
  const page = await asking(`/api/oauth/authorize?${request}`, { headers: { host: "traces.example.com" } });
  expect(locationOf(page).pathname).toBe("/signin");
  const challenge = await asking("/mcp", { method: "POST", headers: { host: "traces.example.com" } });
  expect(challenge.headers.get("www-authenticate")).toStartWith(
    'Bearer resource_metadata="https://traces.example.com/.well-known/oauth-protected-resource/mcp"',
  );
  await own.close();
});

describe("registration", () => {
  const send = (metadata: unknown, init: RequestInit = {}) =>
    ask("/api/oauth/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
      ...init,
    });

  test("gives a public client, whatever else it says of itself", async () => {
    const response = await send({
      redirect_uris: [
        CALLBACK,
        "cursor://anysphere.cursor/oauth",
        "com.example.app:/cb",
        "https://a.example/cb?x=1",
      ],
      client_name: "A\u202e  gent\n",
      token_endpoint_auth_method: "none",
      logo_uri: "https://a.example/logo.png",
    });
    expect([response.status, response.headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(await response.json()).toMatchObject({
      client_name: "A gent",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      client_id_issued_at: Math.floor(t.clock.now() / 1000),
    });
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:http://localhost/x",
    "http://evil.test/cb",
    "http://localhost.evil.test/cb",
    "http://localhost:1@evil.test/cb",
    "http://127.0.0.1.nip.io/cb",
    "http://2130706433/cb",
    "http://10.0.0.1/cb",
    "https://user:pw@a.example/cb",
    "https://a.example/cb#x",
    "https://a.example/cb#",
    "https://a.example\\@evil.test",
    "https:a.example",
    "https:///a.example",
    "HTTPS://a.example/cb",
    "//a.example/cb",
    "/cb",
    "cursor:",
    "java\tscript:alert(1)",
    "https://a.example/ c",
    "https://ä.example/cb",
    `https://a.example/${"a".repeat(1000)}`,
    "",
  ])("refuses to send answers to %p", async (uri) => {
    expect(await refusal(await send({ redirect_uris: [uri] }))).toEqual([400, "invalid_redirect_uri"]);
  });

  test("refuses clients with a secret, other flows, and what is no metadata", async () => {
    const bad = async (metadata: unknown) => (await refusal(await send(metadata)))[1];
    const uris = { redirect_uris: [CALLBACK] };
    expect(await bad({ ...uris, token_endpoint_auth_method: "client_secret_basic" })).toBe(
      "invalid_client_metadata",
    );
    expect(await bad({ ...uris, grant_types: ["client_credentials"] })).toBe("invalid_client_metadata");
    expect(await bad({ ...uris, response_types: ["token"] })).toBe("invalid_client_metadata");
    expect(await bad({ ...uris, client_name: 1 })).toBe("invalid_client_metadata");
    expect(await bad([])).toBe("invalid_client_metadata");
    expect(await bad({})).toBe("invalid_redirect_uri");
    expect(await bad({ redirect_uris: Array(11).fill(CALLBACK) })).toBe("invalid_redirect_uri");
    expect(await bad("{")).toBe("invalid_request");
    expect((await send("x".repeat(40_000))).status).toBe(413);
    expect((await send({ ...uris }, { headers: { "content-type": "text/plain" } })).status).toBe(415);
  });

  test("leaves few bytes behind, and all addresses together register only so often", async () => {
    let address = 0;
    const own = await testApp({ peerOf: () => `198.51.100.${Math.floor(address++ / 10)}` });
    const asking = anonymous(own);
    const longest = (at: number) => `https://${"a".repeat(60)}.${at}.example/${"x".repeat(410)}`;
    await register(asking, {
      client_name: "n".repeat(300),
      redirect_uris: Array.from({ length: 10 }, (_, at) => longest(at)),
    });
    const [entry] = await statement<{ detail: string }>(
      own.store,
      "SELECT detail FROM audit_events WHERE action = 'oauth_client.register'",
    );
    expect(entry!.detail.length).toBeLessThan(300);
    expect(JSON.parse(entry!.detail)).toMatchObject({ redirects: 10, places: ["a".repeat(40)] });
    const statuses = [];
    for (let n = 0; n < 130; n++)
      statuses.push((await asking("/api/oauth/register", { method: "POST", body: "{}" })).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(11);
    await own.close();
  });

  test("is limited by address", async () => {
    const small = await testApp({ peerOf: () => "198.51.100.7" });
    const asking = anonymous(small);
    for (let left = 20; left > 0; left--) await register(asking);
    const response = await asking("/api/oauth/register", { method: "POST", body: "{}" });
    expect([Number(response.headers.get("retry-after")) > 0, ...(await refusal(response))]).toEqual([
      true,
      429,
      "temporarily_unavailable",
    ]);
    await small.close();
  });

  test("is forgotten after 90 days without a use, and lives on with one", async () => {
    const own = await testApp();
    const asking = anonymous(own);
    const [idle, used] = [await register(asking), await register(asking)];
    const day = 24 * 60 * 60_000;
    const prune = () => own.runtime.periodic.find(({ name }) => name === "unused agents")!.run();
    own.clock.advance(60 * day);
    await allow(asking, await ownerCookie(own), requestOf(used));
    own.clock.advance(31 * day);
    await own.runtime.periodic.find(({ name }) => name === "ended grants")!.run();
    await prune();
    const statusOf = async (id: string) => (await authorize(asking, requestOf(id))).status;
    expect([await statusOf(idle), await statusOf(used)]).toEqual([400, 302]);
    await own.close();
  });
});

describe("a bad client or redirect URI is told on a page, and nobody is sent anywhere", () => {
  test.each([
    ["no client", { client_id: null }],
    ["an unknown client", { client_id: "6f0c2b5e-4d0b-4c59-8b0e-2f1f0a7c9d11" }],
    ["another host", { redirect_uri: "https://evil.test/callback" }],
    ["another path", { redirect_uri: `${CALLBACK}/x` }],
    ["a query more", { redirect_uri: `${CALLBACK}?x=1` }],
    ["another loopback name", { redirect_uri: "http://localhost:7777/callback" }],
    ["a user name", { redirect_uri: "http://127.0.0.1:7777@evil.test/callback" }],
    ["a host that begins alike", { redirect_uri: "http://127.0.0.1.evil.test/callback" }],
    ["a fragment", { redirect_uri: `${CALLBACK}#x` }],
    ["a script", { redirect_uri: "javascript:alert(1)" }],
  ] as [string, Record<string, string | null>][])("%s", async (_, fields) => {
    for (const who of ["", cookie]) {
      const page = await authorize(ask, requestOf(clientId, fields), who);
      expect([page.status, page.headers.get("location")]).toEqual([400, null]);
      expect(page.headers.get("content-type")).toContain("text/html");
    }
  });

  test("a parameter that is given twice", async () => {
    const response = await authorize(ask, `${requestOf(clientId)}&redirect_uri=https://evil.test`, cookie);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });
});

test("a program on this machine may take any port", async () => {
  const redirect_uri = "http://127.0.0.1:50123/callback";
  expect((await authorize(ask, requestOf(clientId, { redirect_uri }), cookie)).status).toBe(200);
});

describe("what is wrong with a request", () => {
  const wrong: [string, Record<string, string | null>, string][] = [
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["no response type", { response_type: null }, "invalid_request"],
    ["no challenge", { code_challenge: null }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["no method, which means plain", { code_challenge_method: null }, "invalid_request"],
    ["a challenge that is no hash", { code_challenge: "short" }, "invalid_request"],
    ["no resource", { resource: null }, "invalid_target"],
    ["another resource", { resource: "https://evil.test" }, "invalid_target"],
    ["another path of the resource", { resource: `${ORIGIN}/v1` }, "invalid_target"],
    ["another port of the resource", { resource: "http://localhost:1" }, "invalid_target"],
    ["a resource with a fragment", { resource: `${ORIGIN}/#` }, "invalid_target"],
    ["an unknown scope", { scope: "mcp:read traces:read" }, "invalid_scope"],
    ["another way to answer", { response_mode: "fragment" }, "invalid_request"],
  ];

  test.each(wrong)("%s: the program is told when the person is signed in", async (_, fields, error) => {
    const response = await authorize(ask, requestOf(clientId, fields), cookie);
    const back = locationOf(response);
    expect([response.status, back.origin + back.pathname]).toEqual([302, CALLBACK]);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: "s1", iss: ORIGIN });
  });

  test.each(wrong)(
    "%s: nobody who is not signed in is led away (open redirect)",
    async (_, fields, error) => {
      const request = requestOf(clientId, fields);
      expect((await authorize(ask, request)).headers.get("location")).toBeNull();
      expect(await refusal(await ask(`/api/oauth/authorize?${request}`))).toEqual([400, error]);
    },
  );
});

test("whoever is not signed in is sent to sign in, with the way back", async () => {
  for (const who of ["", "product_session=gone"]) {
    const response = await authorize(ask, requestOf(clientId), who);
    const to = locationOf(response);
    expect([response.status, to.pathname]).toEqual([302, "/signin"]);
    expect(to.searchParams.get("next")).toBe(`/api/oauth/authorize?${requestOf(clientId)}`);
  }
});

test("a key is nobody who could be asked", async () => {
  const response = await t.api(`/api/oauth/authorize?${requestOf(clientId)}`);
  expect(locationOf(response).pathname).toBe("/signin");
});

test.each([ORIGIN, `${ORIGIN}/`, `${ORIGIN}/mcp`, "HTTP://LOCALHOST:80/mcp"])(
  "%s is this server's resource",
  async (resource) => {
    expect((await authorize(ask, requestOf(clientId, { resource }), cookie)).status).toBe(200);
  },
);

describe("the page that asks", () => {
  test("names the program as text, where the answer goes, tools and permissions, and the org", async () => {
    const own = await register(ask, {
      client_name: '<script>alert("x")</script>',
      redirect_uris: ["https://a.example/cb"],
    });
    const request = requestOf(own, { redirect_uri: null, scope: "mcp:read mcp:run" });
    const page = await authorize(ask, request, cookie);
    const html = await page.text();
    expect(html).not.toContain("<script");
    for (const text of [
      "&lt;script&gt;",
      "a.example",
      "Run scenarios and replay traces",
      "mcp:read",
      "local",
      "owner",
    ])
      expect(html).toContain(text);
    const { TOOLS } = await import("../../../../server/agents/tools/all.ts");
    const granted = expandScopes(["mcp:read", "mcp:run"]);
    for (const { title, scope } of TOOLS)
      if (scope.every((one) => granted.has(one))) expect(html).toContain(title.replaceAll("'", "&#39;"));
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://a.example;");
    expect(policy).toContain("default-src 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
  });

  const page = async (request: string, who = cookie) =>
    fieldsOf(await (await authorize(ask, request, who)).text());

  test("denied: the program is told, and nothing is granted", async () => {
    const request = requestOf(await register(ask));
    const response = await answer(ask, cookie, { ...(await page(request)), decision: "deny" });
    expect(Object.fromEntries(locationOf(response).searchParams)).toMatchObject({
      error: "access_denied",
      state: "s1",
      iss: ORIGIN,
    });
    expect((await authorize(ask, request, cookie)).status).toBe(200);
  });

  test("is answered from its own page alone (CSRF)", async () => {
    const request = requestOf(await register(ask));
    const fields: Record<string, string> = { ...(await page(request)), decision: "allow" };
    const other = await ownerCookie(t);
    const foreign = await page(request, other);
    const status = async (sent: Record<string, string>, headers?: Record<string, string>) =>
      (await answer(ask, cookie, sent, headers)).status;
    const { csrf: _, ...without } = fields;
    expect(await status(fields, {})).toBe(403);
    expect(await status(fields, { origin: "https://evil.test" })).toBe(403);
    expect(await status(fields, { origin: "null" })).toBe(403);
    expect(await status(without)).toBe(400);
    expect(await status({ ...fields, csrf: "x" })).toBe(403);
    expect(await status({ ...fields, csrf: foreign.csrf! })).toBe(403);
    expect(await status({ ...fields, request: `${request}&scope=mcp:act` })).toBe(403);
    expect(await status(fields, { origin: ORIGIN, cookie: "" })).toBe(303);
    expect(await status({ ...fields, org: "6f0c2b5e-4d0b-4c59-8b0e-2f1f0a7c9d11" })).toBe(303);
    expect((await authorize(ask, request, cookie)).status).toBe(200);
  });

  test("is not shown again for the same, and shown for more, when asked to, and after the grant was ended", async () => {
    const own = await register(ask);
    await allow(ask, cookie, requestOf(own));
    const status = async (fields: Record<string, string>) =>
      (await authorize(ask, requestOf(own, fields), cookie)).status;
    expect(await status({})).toBe(302);
    expect(await status({ scope: "mcp:read" })).toBe(302);
    expect(await status({ scope: "mcp:read mcp:write" })).toBe(200);
    expect(await status({ prompt: "consent" })).toBe(200);
  });

  test("HEAD, as chat programs look at links, grants nothing", async () => {
    const own = await register(ask);
    await allow(ask, cookie, requestOf(own));
    const count = () => t.store.records.selectFrom("oauth_grants").select("id").execute();
    const before = await count();
    const response = await ask(`/api/oauth/authorize?${requestOf(own)}`, {
      method: "HEAD",
      headers: { cookie },
    });
    expect([response.status, (await count()).length]).toEqual([200, before.length]);
  });

  test("an answer carries code, state and issuer, and is kept by nobody", async () => {
    const own = await register(ask, { redirect_uris: ["https://a.example/cb?x=1"] });
    const request = requestOf(own, { redirect_uri: null });
    const back = await allow(ask, cookie, request);
    expect(back.href).toStartWith("https://a.example/cb?x=1&code=product_oac_");
    expect([back.searchParams.get("state"), back.searchParams.get("iss")]).toEqual(["s1", ORIGIN]);
    const again = await authorize(ask, request, cookie);
    expect([again.headers.get("cache-control"), again.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "no-referrer",
    ]);
    expect(t.logged.join("\n")).not.toContain("product_oac_");
  });
});

test("a request may have 8 KiB", async () => {
  const response = await authorize(ask, requestOf(clientId, { state: "x".repeat(9000) }), cookie);
  expect(response.status).toBe(400);
});
