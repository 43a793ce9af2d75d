import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { MOST_PERSONAL_TOKENS } from "../../../server/identity/keys/model.ts";
import { insertMembership, insertUser } from "../../../store/records/identity.ts";
import type { Role } from "../../../store/records/schema.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { signedIn } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";

const DAY = 24 * 60 * 60_000;
const RATE = { reads_per_minute: 10_000, writes_per_minute: 10_000 };

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: RATE } });
});
afterAll(() => t.close());

type Key = {
  id: string;
  kind: string;
  key: string;
  scopes: string[];
  expires_at: string | null;
  made_by: { id: string; name: string } | null;
};

let people = 0;
/** Somebody new in the org, with what a browser of theirs sends. */
async function person(role: Role) {
  const id = t.deps.ids.uuid();
  const name = `Person ${++people}`;
  const created_at = t.clock.now();
  const email = `${people}@shop.example`;
  await insertUser(t.store.records, { id, email, name, password_hash: null, created_at });
  await insertMembership(t.store.records, { org_id: t.orgId, user_id: id, role, created_at });
  return { id, name, cookie: (await signedIn(t, { userId: id })).headers.cookie! };
}

type As = { cookie: string } | string;
const headersOf = (as: As): Record<string, string> =>
  typeof as === "string"
    ? { authorization: `Bearer ${as}` }
    : { authorization: "", cookie: as.cookie, origin: "http://localhost" };

const call = (as: As, path: string, init: RequestInit = {}) =>
  t.api(path, { ...init, headers: { ...headersOf(as), "content-type": "application/json" } });
const post = (as: As, body: object) =>
  call(as, "/v1/api-keys", { method: "POST", body: JSON.stringify({ name: "laptop", ...body }) });
const remove = (as: As, id: string) => call(as, `/v1/api-keys/${id}`, { method: "DELETE" });

async function made(as: As, body: object): Promise<Key> {
  const response = await post(as, body);
  expect(response.status).toBe(201);
  return (await response.json()) as Key;
}

async function refusal(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { error: string }).error];
}

async function listed(as: As, query = ""): Promise<string[]> {
  const response = await call(as, `/v1/api-keys${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: Key[] }).items.map(({ id }) => id);
}

const me = async (as: As) =>
  (await (await call(as, "/api/v1/me")).json()) as {
    user: { id: string } | null;
    org: { role: Role | null };
    scopes: string[];
  };

describe("a personal access token", () => {
  let ada: Awaited<ReturnType<typeof person>>;
  beforeEach(async () => {
    ada = await person("member");
  });

  test("acts as its person with their role, within its scopes", async () => {
    const token = await made(ada, { kind: "pat", scopes: ["traces:read", "mcp:read"] });
    expect(token.key).toMatch(/^product_pat_[0-9A-Za-z]{49}$/);
    expect(token.made_by).toEqual({ id: ada.id, name: ada.name });
    const seen = await me(token.key);
    expect(seen).toMatchObject({ user: { id: ada.id }, org: { role: "member" } });
    expect(seen.scopes).toEqual(["incidents:read", "mcp:read", "runs:read", "scenarios:read", "traces:read"]);
    const ours = { "x-org-id": t.orgId };
    const headers = { ...headersOf(token.key), ...ours };
    expect((await t.api("/v1/traces", { headers })).status).toBe(200);
  });

  test("expires after 90 days unless it says when, within 366", async () => {
    const scopes = ["traces:read"];
    const at = (ms: number) => new Date(t.clock.now() + ms).toISOString();
    expect((await made(ada, { kind: "pat", scopes })).expires_at).toBe(at(90 * DAY));
    const longest = { kind: "pat", scopes, expires_at: at(366 * DAY) };
    expect((await made(ada, longest)).expires_at).toBe(at(366 * DAY));
    for (const expires_at of [at(366 * DAY + 1), null, at(-1)])
      expect(await refusal(await post(ada, { kind: "pat", scopes, expires_at }))).toEqual([
        422,
        "validation_failed",
      ]);
  });

  test("follows the role of its person, at once in this process and within 30 s in another", async () => {
    const owner = await person("owner");
    const token = await made(owner, { kind: "pat", scopes: ["traces:read", "keys:manage"] });
    expect((await me(token.key)).scopes).toEqual(["keys:manage", "traces:read"]);
    const change = (role: Role) =>
      statement(t.store, "UPDATE memberships SET role = ? WHERE user_id = ?", role, owner.id);
    await change("member");
    t.deps.credentials.forgetUser(owner.id);
    expect(await me(token.key)).toMatchObject({ org: { role: "member" }, scopes: ["traces:read"] });
    await change("owner");
    t.clock.advance(30_001);
    expect((await me(token.key)).scopes).toEqual(["keys:manage", "traces:read"]);
    await change("billing");
    t.clock.advance(30_001);
    expect((await me(token.key)).scopes).toEqual([]);
  });

  test("ends with the membership of its person", async () => {
    const token = await made(ada, { kind: "pat", scopes: ["traces:read"] });
    expect((await call(token.key, "/v1/traces")).status).toBe(200);
    await statement(t.store, "DELETE FROM memberships WHERE user_id = ?", ada.id);
    t.deps.credentials.forgetUser(ada.id);
    expect((await call(token.key, "/v1/traces")).status).toBe(401);
  });

  test("is everybody's own to make, see and end, and nobody else's without keys:manage", async () => {
    const bob = await person("member");
    const token = await made(ada, { kind: "pat", scopes: ["traces:read"] });
    expect(await listed(ada)).toEqual([token.id]);
    expect(await listed(ada, "?kind=pat&mine=1")).toEqual([token.id]);
    expect(await listed(bob)).toEqual([]);
    expect(await refusal(await remove(bob, token.id))).toEqual([403, "insufficient_scope"]);
    expect((await remove(ada, token.id)).status).toBe(204);
    expect((await call(token.key, "/api/v1/me")).status).toBe(401);
    const owner = await person("owner");
    const second = await made(ada, { kind: "pat", scopes: ["traces:read"] });
    expect(await listed(owner, "?kind=pat")).toContain(second.id);
    expect(await listed(owner, "?kind=pat&mine=1")).toEqual([]);
    expect((await remove(owner, second.id)).status).toBe(204);
  });

  test("takes no scope that its person lacks, and lets nobody without keys:manage make or see keys", async () => {
    const beyond = { kind: "pat", scopes: ["traces:read", "keys:manage"] };
    expect(await refusal(await post(ada, beyond))).toEqual([403, "forbidden"]);
    for (const kind of ["sk", "svc"]) {
      const denied = [403, "insufficient_scope"];
      expect(await refusal(await post(ada, { kind, scopes: ["traces:read"] }))).toEqual(denied as never);
      expect(await refusal(await call(ada, `/v1/api-keys?kind=${kind}`))).toEqual(denied as never);
    }
  });

  test("is made by its person, not by a token, and by no key but one that may do everything", async () => {
    const pat = { kind: "pat", scopes: ["traces:read"] };
    const token = await made(ada, pat);
    expect(await refusal(await post(token.key, pat))).toEqual([403, "forbidden"]);
    const owner = await person("owner");
    const key = await made(owner, { scopes: ["keys:manage", "traces:read"] });
    expect(await refusal(await post(key.key, pat))).toEqual([403, "forbidden"]);
    const service = await made(owner, { kind: "svc", scopes: ["keys:manage", "traces:read"] });
    expect(await refusal(await post(service.key, pat))).toEqual([403, "forbidden"]);
    expect((await made(t.apiKey, pat)).made_by?.id).toBe(t.userId);
  });

  test("is one of fifty at most, and one that was revoked makes room", async () => {
    const tokens: Key[] = [];
    const pat = { kind: "pat", scopes: ["traces:read"] };
    for (let count = 0; count < MOST_PERSONAL_TOKENS; count++) tokens.push(await made(ada, pat));
    expect(await refusal(await post(ada, pat))).toEqual([409, "conflict"]);
    await remove(ada, tokens[0]!.id);
    expect((await post(ada, pat)).status).toBe(201);
  });
});

describe("a service token", () => {
  test("is the org's: it has no person and no role, and outlives who made it", async () => {
    const owner = await person("owner");
    const token = await made(owner, { kind: "svc", scopes: ["traces:write"] });
    expect(token.key).toMatch(/^product_svc_[0-9A-Za-z]{49}$/);
    expect(token.expires_at).toBeNull();
    expect(await me(token.key)).toMatchObject({ user: null, org: { role: null }, scopes: ["traces:write"] });
    await statement(t.store, "DELETE FROM memberships WHERE user_id = ?", owner.id);
    await statement(t.store, "DELETE FROM users WHERE id = ?", owner.id);
    t.clock.advance(30_001);
    expect((await call(token.key, "/api/v1/me")).status).toBe(200);
    const [shown] = ((await (await call(t.apiKey, "/v1/api-keys?kind=svc")).json()) as { items: Key[] })
      .items;
    expect(shown).toMatchObject({ id: token.id, made_by: null });
  });

  test("of another org is 403 to end, and its secret is never written down", async () => {
    const token = await made(t.apiKey, { kind: "svc", scopes: ["traces:read"] });
    expect(JSON.stringify(await statement(t.store, "SELECT * FROM api_keys"))).not.toContain(token.key);
    expect(JSON.stringify(await statement(t.store, "SELECT * FROM audit_events"))).not.toContain(token.key);
    expect(t.logged.join("")).not.toContain(token.key);
    const { createOrg } = await import("../../../server/identity/orgs.ts");
    const other = await createOrg(t.deps, "another-team");
    expect(await refusal(await remove(other.api_key, token.id))).toEqual([403, "wrong_org"]);
    expect(await listed(other.api_key, "?kind=svc")).toEqual([]);
  });
});

test("what is made and revoked is written into the audit log with its kind", async () => {
  const token = await made(t.apiKey, { kind: "pat", scopes: ["traces:read"] });
  await remove(t.apiKey, token.id);
  const rows = await statement<{ action: string; detail: string }>(
    t.store,
    "SELECT action, detail FROM audit_events WHERE target = ? ORDER BY seq",
    token.id,
  );
  expect(rows.map(({ action, detail }) => [action, JSON.parse(detail)])).toEqual([
    [
      "api_key.create",
      { kind: "pat", name: "laptop", scopes: ["traces:read"], expires_at: token.expires_at },
    ],
    ["api_key.revoke", { kind: "pat", name: "laptop" }],
  ]);
});
