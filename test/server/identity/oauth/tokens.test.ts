import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cutAccess } from "../../../../server/identity/access.ts";
import { createOrg } from "../../../../server/identity/orgs.ts";
import { commit } from "../../../../server/jobs/commit.ts";
import { insertMembership } from "../../../../store/records/identity.ts";
import type { Role } from "../../../../store/records/schema.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import {
  type Ask,
  allow,
  anonymous,
  authorize,
  bearer,
  connect,
  form,
  ORIGIN,
  ownerCookie,
  refresh,
  refusal,
  register,
  requestOf,
  type Tokens,
  tradeCode,
  VERIFIER,
} from "../../../helpers/oauth.ts";

let t: TestApp;
let ask: Ask;
let cookie: string;
beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: { writes_per_minute: 10_000 } } });
  ask = anonymous(t);
  cookie = await ownerCookie(t);
});
afterAll(() => t.close());

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const statusOf = async (token: string, path = "/v1/traces", app = ask) =>
  (await app(path, bearer(token))).status;
const GRANT = [400, "invalid_grant"] as [number, string];

async function codeOf(clientId: string, fields: Record<string, string> = {}): Promise<string> {
  const back = await allow(ask, cookie, requestOf(clientId, fields));
  return back.searchParams.get("code")!;
}

async function tokensOf(response: Response): Promise<Tokens> {
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as Tokens;
}

const actions = async (app = t) =>
  (await app.store.records.selectFrom("audit_events").selectAll().orderBy("seq").execute()).map(
    ({ action }) => action,
  );

test("a code is traded for tokens of one hour and 90 days, which are kept as hashes", async () => {
  const { tokens } = await connect(ask, cookie);
  expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "mcp:read mcp:run" });
  const file = new Database(join(t.dataDir, "tracedeck.db"), { readonly: true });
  const rows =
    JSON.stringify(file.query("select * from oauth_tokens").all()) +
    JSON.stringify(file.query("select * from oauth_grants").all()) +
    JSON.stringify(file.query("select * from audit_events").all());
  file.close();
  expect(rows).not.toContain("product_o");
  expect(t.logged.join("\n")).not.toContain("product_o");
});

describe("a code", () => {
  test("works once; who replays it ends what came of it", async () => {
    const { clientId, code, tokens } = await connect(ask, cookie);
    expect(await statusOf(tokens.access_token)).toBe(200);
    expect(await refusal(await tradeCode(ask, clientId, code))).toEqual(GRANT);
    expect(await statusOf(tokens.access_token)).toBe(401);
    expect(await refusal(await refresh(ask, clientId, tokens.refresh_token))).toEqual(GRANT);
    expect((await actions()).at(-1)).toBe("oauth_token.reuse");
  });

  test("of two who trade it at once one gets tokens, and they end", async () => {
    const clientId = await register(ask);
    const code = await codeOf(clientId);
    const both = await Promise.all([tradeCode(ask, clientId, code), tradeCode(ask, clientId, code)]);
    const won = both.find(({ status }) => status === 200)!;
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await statusOf((await tokensOf(won)).access_token)).toBe(401);
  });

  test("lives for 60 seconds", async () => {
    const clientId = await register(ask);
    const code = await codeOf(clientId);
    t.clock.advance(60_000);
    expect(await refusal(await tradeCode(ask, clientId, code))).toEqual(GRANT);
  });

  test("is nobody else's (mix-up), and needs its verifier and its redirect URI", async () => {
    const clientId = await register(ask);
    const code = await codeOf(clientId);
    expect(await refusal(await tradeCode(ask, await register(ask), code))).toEqual(GRANT);
    expect(await refusal(await tradeCode(ask, clientId, code, { code_verifier: "w".repeat(43) }))).toEqual(
      GRANT,
    );
    expect(await refusal(await tradeCode(ask, clientId, code, { code_verifier: "v" }))).toEqual(GRANT);
    expect(await refusal(await tradeCode(ask, clientId, code, { code_verifier: "" }))).toEqual([
      400,
      "invalid_request",
    ]);
    const elsewhere = { redirect_uri: "http://127.0.0.1:7778/callback" };
    expect(await refusal(await tradeCode(ask, clientId, code, elsewhere))).toEqual(GRANT);
    expect(await refusal(await tradeCode(ask, clientId, code, { resource: "https://evil.test" }))).toEqual([
      400,
      "invalid_target",
    ]);
    expect((await tradeCode(ask, clientId, code, { resource: `${ORIGIN}/mcp` })).status).toBe(200);
  });
});

describe("the token endpoint", () => {
  test("takes a form alone, of a client that it knows, and no secret", async () => {
    const clientId = await register(ask);
    const code = await codeOf(clientId);
    const fields = { grant_type: "authorization_code", client_id: clientId, code, code_verifier: VERIFIER };
    const query = await ask(`/api/oauth/token?${new URLSearchParams(fields)}`, form({}));
    expect(await refusal(query)).toEqual([400, "invalid_request"]);
    const json = {
      ...form({}),
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    };
    expect(await refusal(await ask("/api/oauth/token", json))).toEqual([400, "invalid_request"]);
    const twice = { ...form({}), body: `${new URLSearchParams(fields)}&code=x` };
    expect(await refusal(await ask("/api/oauth/token", twice))).toEqual([400, "invalid_request"]);
    const unknown = { ...fields, client_id: "none" };
    expect(await refusal(await ask("/api/oauth/token", form(unknown)))).toEqual([401, "invalid_client"]);
    expect(await refusal(await ask("/api/oauth/token", form({ ...fields, grant_type: "password" })))).toEqual(
      [400, "unsupported_grant_type"],
    );
    const basic = form(fields);
    const secret = await ask("/api/oauth/token", {
      ...basic,
      headers: { ...(basic.headers as object), authorization: `Basic ${btoa(`${clientId}:x`)}` },
    });
    expect(secret.headers.get("www-authenticate")).toStartWith("Basic");
    expect(await refusal(secret)).toEqual([401, "invalid_client"]);
    const large = { ...fields, x: "x".repeat(20_000) };
    expect(await refusal(await ask("/api/oauth/token", form(large)))).toEqual([413, "invalid_request"]);
    expect((await ask("/api/oauth/token", form(fields))).status).toBe(200);
  });

  test("says nothing that may be kept, and describes errors in ASCII", async () => {
    const response = await refresh(ask, await register(ask), "x");
    expect([response.headers.get("cache-control"), response.headers.get("pragma")]).toEqual([
      "no-store",
      "no-cache",
    ]);
    const { error_description } = (await response.json()) as { error_description: string };
    expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test("refuses whoever tries too often from an address", async () => {
    const settings = { rate_limits: { anonymous: { failed_authentications_per_minute: 3 } } };
    const own = await testApp({ settings, peerOf: () => "198.51.100.7" });
    const asking = anonymous(own);
    const clientId = await register(asking);
    for (let left = 3; left > 0; left--) expect((await refresh(asking, clientId, "x")).status).toBe(400);
    const response = await refresh(asking, clientId, "x");
    expect([response.status, Number(response.headers.get("retry-after")) > 0]).toEqual([429, true]);
    await own.close();
  });
});

describe("a refresh token", () => {
  test("is used once and gives the next; the grant lives on", async () => {
    const { clientId, tokens } = await connect(ask, cookie);
    t.clock.advance(HOUR);
    expect(await statusOf(tokens.access_token)).toBe(401);
    const next = await tokensOf(await refresh(ask, clientId, tokens.refresh_token));
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    expect(await statusOf(next.access_token)).toBe(200);
  });

  test("that comes again within 10 s is refused, and later it ends the family", async () => {
    const { clientId, tokens } = await connect(ask, cookie);
    const next = await tokensOf(await refresh(ask, clientId, tokens.refresh_token));
    t.clock.advance(10_000);
    expect(await refusal(await refresh(ask, clientId, tokens.refresh_token))).toEqual(GRANT);
    expect(await statusOf(next.access_token)).toBe(200);
    const last = await tokensOf(await refresh(ask, clientId, next.refresh_token));
    t.clock.advance(1);
    expect(await refusal(await refresh(ask, clientId, tokens.refresh_token))).toEqual(GRANT);
    for (const { access_token } of [next, last]) expect(await statusOf(access_token)).toBe(401);
    expect(await refusal(await refresh(ask, clientId, last.refresh_token))).toEqual(GRANT);
    expect((await actions()).filter((action) => action === "oauth_token.reuse").length).toBeGreaterThan(0);
  });

  test("that is used twice at once gives tokens once, and the family lives on", async () => {
    const { clientId, tokens } = await connect(ask, cookie);
    const all = await Promise.all([1, 2, 3].map(() => refresh(ask, clientId, tokens.refresh_token)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const next = await tokensOf(all.find(({ status }) => status === 200)!);
    expect(await statusOf(next.access_token)).toBe(200);
    expect((await refresh(ask, clientId, next.refresh_token)).status).toBe(200);
  });

  test("is used once over two servers on one store, and what one revokes ends at the other within 60 s", async () => {
    const other = await testApp({ dataDir: t.dataDir, clock: t.clock, serverId: "other" });
    const there = anonymous(other);
    const { clientId, tokens } = await connect(ask, cookie);
    const next = await tokensOf(await refresh(there, clientId, tokens.refresh_token));
    expect(await refusal(await refresh(ask, clientId, tokens.refresh_token))).toEqual(GRANT);
    expect(await statusOf(next.access_token, "/v1/traces", there)).toBe(200);
    t.clock.advance(11_000);
    expect(await refusal(await refresh(ask, clientId, tokens.refresh_token))).toEqual(GRANT);
    expect(await statusOf(next.access_token)).toBe(401);
    t.clock.advance(60_000);
    expect(await statusOf(next.access_token, "/v1/traces", there)).toBe(401);
    await other.close();
  });

  test("lives for 90 days from its making, and is nobody else's", async () => {
    const { clientId, tokens } = await connect(ask, cookie);
    expect(await refusal(await refresh(ask, await register(ask), tokens.refresh_token))).toEqual(GRANT);
    expect(await refusal(await refresh(ask, clientId, tokens.access_token))).toEqual(GRANT);
    t.clock.advance(89 * DAY);
    const next = await tokensOf(await refresh(ask, clientId, tokens.refresh_token));
    t.clock.advance(90 * DAY);
    expect(await refusal(await refresh(ask, clientId, next.refresh_token))).toEqual(GRANT);
    cookie = await ownerCookie(t);
  });

  test("gives no more than was granted, and less where less is asked", async () => {
    const { clientId, tokens } = await connect(ask, cookie);
    const more = await refresh(ask, clientId, tokens.refresh_token, { scope: "mcp:read mcp:write" });
    expect(await refusal(more)).toEqual([400, "invalid_scope"]);
    const target = await refresh(ask, clientId, tokens.refresh_token, { resource: "http://localhost:1" });
    expect(await refusal(target)).toEqual([400, "invalid_target"]);
    const less = await tokensOf(await refresh(ask, clientId, tokens.refresh_token, { scope: "mcp:run" }));
    expect(less.scope).toBe("mcp:run");
    expect(await statusOf(less.access_token)).toBe(403);
    const all = await tokensOf(await refresh(ask, clientId, less.refresh_token));
    expect([all.scope, await statusOf(all.access_token)]).toEqual(["mcp:read mcp:run", 200]);
  });
});

describe("revoking", () => {
  const revoke = (clientId: string, token: string) =>
    ask("/api/oauth/revoke", form({ token, client_id: clientId, token_type_hint: "x" }));

  test("a refresh token ends its family at once, an access token itself alone", async () => {
    const { clientId, tokens } = await connect(ask, cookie);
    expect(await statusOf(tokens.access_token)).toBe(200);
    expect((await revoke(clientId, tokens.access_token)).status).toBe(200);
    expect(await statusOf(tokens.access_token)).toBe(401);
    const next = await tokensOf(await refresh(ask, clientId, tokens.refresh_token));
    expect(await statusOf(next.access_token)).toBe(200);
    expect((await revoke(clientId, next.refresh_token)).status).toBe(200);
    expect(await statusOf(next.access_token)).toBe(401);
    expect(await refusal(await refresh(ask, clientId, next.refresh_token))).toEqual(GRANT);
    expect((await actions()).at(-1)).toBe("oauth_token.revoke");
  });

  test("what is not known is done already; what is another client's is refused", async () => {
    const { clientId, tokens } = await connect(ask, cookie);
    for (const token of ["x", tokens.access_token.replace("oat", "ort")])
      expect((await revoke(clientId, token)).status).toBe(200);
    expect(await refusal(await revoke(await register(ask), tokens.refresh_token))).toEqual(GRANT);
    expect(await refusal(await revoke("none", tokens.refresh_token))).toEqual([401, "invalid_client"]);
    expect(await statusOf(tokens.access_token)).toBe(200);
  });

  test("during a refresh leaves nothing that works, whoever comes first", async () => {
    for (const first of ["refresh", "revoke"]) {
      const { clientId, tokens } = await connect(ask, cookie);
      const acts = [
        () => refresh(ask, clientId, tokens.refresh_token),
        () => revoke(clientId, tokens.refresh_token),
      ];
      if (first === "revoke") acts.reverse();
      const answers = await Promise.all(acts.map((act) => act()));
      const refreshed = answers[first === "refresh" ? 0 : 1]!;
      const left = refreshed.status === 200 ? (await tokensOf(refreshed)).access_token : tokens.access_token;
      expect([await statusOf(left), await statusOf(tokens.access_token)]).toEqual([401, 401]);
    }
  });
});

describe("an access token", () => {
  test("counts at REST and /mcp with its scopes, for the org of its grant alone", async () => {
    const other = await createOrg(t.deps, "other");
    const { tokens } = await connect(ask, cookie, { scope: "mcp:read" });
    expect(await statusOf(tokens.access_token)).toBe(200);
    expect(await statusOf(tokens.access_token, "/v1/api-keys")).toBe(403);
    const at = (org: string) =>
      ask("/v1/traces", { headers: { authorization: `Bearer ${tokens.access_token}`, "x-org-id": org } });
    expect([(await at(t.orgId)).status, (await at(other.org_id)).status]).toEqual([200, 403]);
  });

  test("is for people neither in the list of agents nor for its own grant", async () => {
    const { tokens } = await connect(ask, cookie);
    expect(await statusOf(tokens.access_token, "/v1/oauth/grants")).toBe(403);
  });

  test("is for the origin that it was granted for", async () => {
    const { tokens } = await connect(ask, cookie);
    const at = (host: string) =>
      ask("/v1/traces", { headers: { authorization: `Bearer ${tokens.access_token}`, host } });
    expect([(await at("localhost")).status, (await at("127.0.0.1")).status]).toEqual([200, 401]);
    expect((await at("localhost:4173")).status).toBe(401);
  });

  test("is taken from the header alone, and refresh tokens and codes are none", async () => {
    const { tokens, code } = await connect(ask, cookie);
    expect((await ask(`/v1/traces?access_token=${tokens.access_token}`)).status).toBe(401);
    for (const token of [tokens.refresh_token, code, `${tokens.access_token.slice(0, -1)}!`])
      expect(await statusOf(token)).toBe(401);
  });

  test("ends after an hour, also when the clock was asked a moment before", async () => {
    const { tokens } = await connect(ask, cookie);
    t.clock.advance(HOUR - 1);
    expect(await statusOf(tokens.access_token)).toBe(200);
    t.clock.advance(1);
    expect(await statusOf(tokens.access_token)).toBe(401);
  });
});

describe("a person's role", () => {
  async function withRole(role: Role) {
    await t.store.records
      .updateTable("memberships")
      .set({ role })
      .where("user_id", "=", t.userId)
      .where("org_id", "=", t.orgId)
      .execute();
    t.deps.credentials.forgetUser(t.userId);
  }

  test("bounds what it can grant, and what a token may from then on", async () => {
    const { clientId, tokens } = await connect(ask, cookie, { scope: "mcp:read mcp:run mcp:act" });
    expect(tokens.scope).toBe("mcp:read mcp:run mcp:act");
    await withRole("member");
    const me = (await (await ask("/api/v1/me", bearer(tokens.access_token))).json()) as { scopes: string[] };
    expect(me.scopes).not.toContain("mcp:act");
    expect(me.scopes).toContain("traces:read");
    expect((await tokensOf(await refresh(ask, clientId, tokens.refresh_token))).scope).toBe(
      "mcp:read mcp:run",
    );
    const narrow = await connect(ask, cookie, { scope: "mcp:read mcp:act" });
    expect(narrow.tokens.scope).toBe("mcp:read");
    await withRole("billing");
    expect(await statusOf(narrow.tokens.access_token)).toBe(403);
    expect(await refusal(await refresh(ask, narrow.clientId, narrow.tokens.refresh_token))).toEqual(GRANT);
    const none = await authorize(ask, requestOf(await register(ask)), cookie);
    expect(none.headers.get("location")).toContain("error=access_denied");
    await withRole("owner");
    expect(await statusOf(narrow.tokens.access_token)).toBe(200);
  });

  test("ends with its leaving the org: tokens at once, codes and consents too", async () => {
    const own = await testApp();
    const asking = anonymous(own);
    const ownCookie = await ownerCookie(own);
    const { clientId, tokens } = await connect(asking, ownCookie);
    const pending = (await allow(asking, ownCookie, requestOf(clientId))).searchParams.get("code")!;
    expect(await statusOf(tokens.access_token, "/v1/traces", asking)).toBe(200);
    await commit(own.deps, (trx, after) =>
      cutAccess(own.deps, trx, after, { userId: own.userId, orgId: own.orgId, now: own.clock.now() }),
    );
    expect(await statusOf(tokens.access_token, "/v1/traces", asking)).toBe(401);
    expect(await refusal(await refresh(asking, clientId, tokens.refresh_token))).toEqual(GRANT);
    expect(await refusal(await tradeCode(asking, clientId, pending))).toEqual(GRANT);
    const page = await authorize(asking, requestOf(clientId), await ownerCookie(own));
    expect(page.status).toBe(200);
    await own.close();
  });

  test("with several orgs chooses one on the page, and may no other", async () => {
    const other = await createOrg(t.deps, "second");
    const membership = { org_id: other.org_id, user_id: t.userId, role: "member" as const, created_at: 1 };
    await insertMembership(t.store.records, membership);
    t.deps.credentials.forgetUser(t.userId);
    const clientId = await register(ask);
    const html = await (
      await authorize(ask, requestOf(clientId, { scope: "mcp:read mcp:act" }), cookie)
    ).text();
    expect(html).toContain("you are member there; without mcp:act");
    const back = await allow(ask, cookie, requestOf(clientId, { scope: "mcp:read mcp:act" }), {
      fields: { org: other.org_id },
    });
    const tokens = await tokensOf(await tradeCode(ask, clientId, back.searchParams.get("code")!));
    const me = (await (await ask("/api/v1/me", bearer(tokens.access_token))).json()) as {
      org: { id: string };
    };
    expect([me.org.id, tokens.scope]).toEqual([other.org_id, "mcp:read"]);
    const wrong = await ask("/v1/traces", {
      headers: { authorization: `Bearer ${tokens.access_token}`, "x-org-id": t.orgId },
    });
    expect(wrong.status).toBe(403);
  });
});

test("registration, consent, grant, refresh and reuse are in the audit log, without a secret", async () => {
  const own = await testApp();
  const asking = anonymous(own);
  const { clientId, tokens } = await connect(asking, await ownerCookie(own));
  await refresh(asking, clientId, tokens.refresh_token);
  own.clock.advance(11_000);
  await refresh(asking, clientId, tokens.refresh_token);
  expect((await actions(own)).filter((action) => action.startsWith("oauth"))).toEqual([
    "oauth_client.register",
    "oauth_grant.consent",
    "oauth_token.grant",
    "oauth_token.grant",
    "oauth_token.reuse",
  ]);
  await own.close();
});

test("of one person and program at most 50 grants live: the oldest ends", async () => {
  const clientId = await register(ask);
  const first = await connect(ask, cookie, {}, { clientId });
  for (let left = 50; left > 0; left--) {
    t.clock.advance(1);
    await connect(ask, cookie, {}, { clientId });
  }
  expect(await statusOf(first.tokens.access_token)).toBe(401);
});

test("what was granted outlives the server", async () => {
  const own = await testApp();
  const asking = anonymous(own);
  const { clientId, tokens } = await connect(asking, await ownerCookie(own));
  const again = await testApp({ dataDir: own.dataDir, clock: own.clock, serverId: "again" });
  expect(await statusOf(tokens.access_token, "/v1/traces", anonymous(again))).toBe(200);
  expect((await refresh(anonymous(again), clientId, tokens.refresh_token)).status).toBe(200);
  await again.close();
  await own.close();
});
