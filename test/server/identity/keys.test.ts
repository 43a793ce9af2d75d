import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSecret, isWellFormedSecret } from "../../../server/identity/key-secrets.ts";
import { createTestClock, type TestApp, testApp } from "../../helpers/app.ts";
import { statement } from "../../helpers/statement.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: { reads_per_minute: 10_000, writes_per_minute: 10_000 } } });
});
afterAll(() => t.close());

type Key = { id: string; key: string; prefix: string; scopes: string[]; expires_at: string | null };

async function create(body: Record<string, unknown>, as?: string): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (as) headers.authorization = `Bearer ${as}`;
  return t.api("/v1/api-keys", { method: "POST", body: JSON.stringify(body), headers });
}

async function made(scopes: string[], more: Record<string, unknown> = {}): Promise<Key> {
  const response = await create({ name: "ci", scopes, ...more });
  expect(response.status).toBe(201);
  return (await response.json()) as Key;
}

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const revoke = (id: string) => t.api(`/v1/api-keys/${id}`, { method: "DELETE" });

describe("API keys", () => {
  test("are made with 201, shown once, and kept only as a hash", async () => {
    const key = await made(["traces:read"]);
    expect(key.key).toMatch(/^product_sk_[0-9A-Za-z]{49}$/);
    expect(key.key).toStartWith(key.prefix);
    const list = await (await t.api("/v1/api-keys")).text();
    expect(list).toContain(key.id);
    expect(list).not.toContain(key.key);
    const [row] = await statement(t.store, "SELECT * FROM api_keys WHERE id = ?", key.id);
    expect(JSON.stringify(row)).not.toContain(key.key.slice(20));
    expect(t.logged.join("")).not.toContain(key.key);
  });

  test("open what their scopes name, and a missing scope is 403 naming it", async () => {
    const { key } = await made(["traces:read"]);
    expect((await t.api("/api/v1/me", bearer(key))).status).toBe(200);
    const refused = await t.api("/v1/api-keys", bearer(key));
    expect(refused.status).toBe(403);
    const body = (await refused.json()) as { error: string; message: string };
    expect(body.error).toBe("insufficient_scope");
    expect(body.message).toContain("keys:manage");
  });

  test("stop working at once when revoked, although they were remembered", async () => {
    const key = await made(["traces:read"]);
    expect((await t.api("/api/v1/me", bearer(key.key))).status).toBe(200);
    expect((await revoke(key.id)).status).toBe(204);
    expect((await t.api("/api/v1/me", bearer(key.key))).status).toBe(401);
    expect((await revoke(key.id)).status).toBe(404);
    expect(await (await t.api("/v1/api-keys")).text()).not.toContain(key.id);
  });

  test("stop working within the memory's 30 s when another process revokes them", async () => {
    const key = await made(["traces:read"]);
    expect((await t.api("/api/v1/me", bearer(key.key))).status).toBe(200);
    await statement(t.store, "UPDATE api_keys SET revoked_at = 1 WHERE id = ?", key.id);
    t.clock.advance(30_001);
    expect((await t.api("/api/v1/me", bearer(key.key))).status).toBe(401);
  });

  test("expire to the millisecond, remembered or not", async () => {
    const expires_at = new Date(t.clock.now() + 5_000).toISOString();
    const key = await made(["traces:read"], { expires_at });
    expect(key.expires_at).toBe(expires_at);
    expect((await t.api("/api/v1/me", bearer(key.key))).status).toBe(200);
    t.clock.advance(4_999);
    expect((await t.api("/api/v1/me", bearer(key.key))).status).toBe(200);
    t.clock.advance(1);
    expect((await t.api("/api/v1/me", bearer(key.key))).status).toBe(401);
  });

  test("refuse an expiry that is no time or has passed", async () => {
    for (const expires_at of [
      "soon",
      "2999-02-30",
      "2001-01-01T00:00:00Z",
      new Date(t.clock.now()).toISOString(),
    ])
      expect((await create({ name: "x", scopes: ["traces:read"], expires_at })).status).toBe(422);
    expect((await create({ name: "x", scopes: ["traces:read"], expires_at: 5 })).status).toBe(422);
  });

  test("cannot grant what their maker lacks", async () => {
    const { key } = await made(["keys:manage", "traces:read"]);
    expect((await create({ name: "child", scopes: ["traces:read"] }, key)).status).toBe(201);
    const refused = await create({ name: "child", scopes: ["traces:read", "traces:write"] }, key);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: "forbidden" });
    expect((await create({ name: "child", scopes: ["no:such"] }, key)).status).toBe(422);
  });

  test("carry what their scopes imply", async () => {
    const { key } = await made(["mcp:read"]);
    const me = (await (await t.api("/api/v1/me", bearer(key))).json()) as { scopes: string[] };
    expect(me.scopes).toEqual(expect.arrayContaining(["mcp:read", "traces:read", "runs:read"]));
    expect(me.scopes).not.toContain("traces:write");
  });

  test("tell when they were last used, without a write at every use", async () => {
    const key = await made(["traces:read"]);
    const lastUse = async () => {
      const { items } = (await (await t.api("/v1/api-keys")).json()) as {
        items: { id: string; last_used_at: string | null }[];
      };
      return items.find(({ id }) => id === key.id)!.last_used_at;
    };
    expect(await lastUse()).toBeNull();
    await t.api("/api/v1/me", bearer(key.key));
    const [row] = await statement(t.store, "SELECT last_used_at FROM api_keys WHERE id = ?", key.id);
    expect(row).toEqual({ last_used_at: null });
    expect(await lastUse()).toBe(new Date(t.clock.now()).toISOString());
  });

  test("are listed newest first, page by page", async () => {
    const fresh = [];
    for (let i = 0; i < 5; i++) fresh.push((await made(["traces:read"])).id);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `/v1/api-keys?limit=2${cursor ? `&cursor=${cursor}` : ""}`;
      const page = (await (await t.api(path)).json()) as { items: Key[]; next_cursor: string | null };
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen.slice(0, 5)).toEqual(fresh.reverse());
    expect(new Set(seen).size).toBe(seen.length);
    for (const bad of ["x", "%25", "e30"])
      expect((await t.api(`/v1/api-keys?cursor=${bad}`)).status).toBe(422);
  });
});

describe("the form of a key", () => {
  test("is recognised, and any single change of it is not", () => {
    const ids = { secret: (length: number) => t.deps.ids.secret(length) };
    fc.assert(
      fc.property(
        fc.constantFrom("sk", "pat", "svc"),
        fc.nat(),
        fc.constantFrom(..."0aZ_-"),
        (kind, at, char) => {
          const { secret } = createSecret(kind as "sk", ids);
          expect(isWellFormedSecret(secret)).toBe(true);
          const place = at % secret.length;
          if (secret[place] === char) return;
          const changed = secret.slice(0, place) + char + secret.slice(place + 1);
          expect(isWellFormedSecret(changed)).toBe(false);
        },
      ),
    );
  });
});

describe("credentials", () => {
  test("are asked for with 401 and a challenge, before anything about parameters is told", async () => {
    for (const [path, init] of [
      ["/v1/api-keys?limit=x", {}],
      ["/v1/api-keys?limit=1&limit=2", {}],
      ["/v1/api-keys/abc", { method: "DELETE" }],
      ["/v1/api-keys", { method: "POST", body: "{", headers: { "content-type": "application/json" } }],
      ["/v1/api-keys", { method: "POST", body: "x", headers: { "content-type": "text/csv" } }],
    ] as [string, RequestInit][]) {
      const headers = { ...(init.headers as Record<string, string>), authorization: "" };
      const response = await t.api(path, { ...init, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test.each([
    "Bearer",
    "Bearer x",
    "Basic abc",
    "bearer product_sk_",
    `Bearer product_sk_${"a".repeat(49)}`,
    "Bearer a b",
  ])("that are no good are 401: %p", async (authorization) => {
    expect((await t.api("/api/v1/me", { headers: { authorization } })).status).toBe(401);
  });

  test("in the query string are not looked at", async () => {
    const response = await t.api(`/api/v1/me?api_key=${t.apiKey}&authorization=${t.apiKey}`, {
      headers: { authorization: "" },
    });
    expect(response.status).toBe(401);
  });

  test("may name their own org, by either header, but no other", async () => {
    const status = async (headers: Record<string, string>) => (await t.api("/api/v1/me", { headers })).status;
    expect(await status({ "x-org-id": t.orgId })).toBe(200);
    expect(await status({ "x-product-org": t.orgId })).toBe(200);
    expect(await status({ "x-org-id": t.orgId, "x-product-org": t.orgId })).toBe(200);
    expect(await status({ "x-org-id": t.orgId, "x-product-org": "other" })).toBe(400);
    const foreign = await t.api("/api/v1/me", {
      headers: { "x-org-id": "019ca945-0a00-72e9-9883-ff2e8308684e" },
    });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ error: "wrong_org" });
  });

  test("x-product-org alone lets nobody in", async () => {
    const headers = { authorization: "", "x-product-org": t.orgId };
    expect((await t.api("/api/v1/me", { headers })).status).toBe(401);
  });

  test("x-product-org alone is enough under --trust-org-header", async () => {
    const trusting = await testApp({ flags: { trustOrgHeader: true }, clock: createTestClock() });
    const call = (org: string) =>
      trusting.api("/v1/api-keys", { headers: { authorization: "", "x-product-org": org } });
    expect((await call(trusting.orgId)).status).toBe(200);
    expect((await call("019ca945-0a00-72e9-9883-ff2e8308684e")).status).toBe(401);
    await trusting.close();
  });

  test("the internal token counts below /internal/ only", async () => {
    const internal = await testApp({ settings: { internal_service_token: "let-me-in" } });
    const headers = { authorization: "", "x-internal-token": "let-me-in" };
    expect((await internal.api("/api/v1/me", { headers })).status).toBe(401);
    await internal.close();
  });
});
