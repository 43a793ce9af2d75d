import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createOrg } from "../../../server/identity/orgs.ts";
import { expandScopes, ROLES, SCOPES, type Scope } from "../../../server/identity/scopes.ts";
import type { Role } from "../../../store/records/schema.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { person, secondOrg } from "../../helpers/org-people.ts";

setDefaultTimeout(120_000);

const MANY = 1_000_000;
const TOKEN = "internal-of-the-test";
const NOBODY = "00000000-0000-7000-8000-000000000000";
const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** An operation, with what the API's description says of who may call it. */
interface Operation {
  operationId: string;
  method: string;
  path: string;
  tags: string[];
  security: Record<string, string[]>[];
  "x-scopes"?: Scope[];
  "x-roles"?: Role[];
  /** People reach what is their own without a scope. */
  "x-own"?: true;
}

/** Something that requests may carry. New kinds join `credentials`. */
interface TestCredential {
  who: string;
  /** What stands in a request. */
  headers(): Promise<Record<string, string>>;
  /** What the table of roles and scopes gives it; null for one that opens nothing. */
  grant: { scopes: ReadonlySet<Scope>; role: Role | null; isPerson: boolean } | null;
  /** Paths below which it counts; everywhere when absent. */
  below?: string;
}

let t: TestApp;
let operations: Operation[];
let credentials: TestCredential[];

beforeAll(async () => {
  const rate_limits = { reads_per_minute: MANY, writes_per_minute: MANY, ingests_per_minute: MANY };
  t = await testApp({ settings: { rate_limits, internal_service_token: TOKEN, plan: "enterprise" } });
  const description = (await (await t.api("/openapi.json")).json()) as {
    paths: Record<string, Record<string, Omit<Operation, "method" | "path">>>;
  };
  operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, path, method: method.toUpperCase() })),
  );
  credentials = [
    ...(await Promise.all(ROLE_NAMES.map(sessionOf))),
    ...(await Promise.all(SCOPES.map((scope) => keyWith(`a key with ${scope}`, [scope])))),
    await keyWith("a key with every scope", [...SCOPES]),
    ...(await worthless()),
    {
      who: "the internal token",
      headers: async () => ({ authorization: "", "x-internal-token": TOKEN, "x-org-id": t.orgId }),
      grant: { scopes: expandScopes(SCOPES), role: null, isPerson: false },
      below: "/internal/",
    },
  ];
});
afterAll(() => t.close());

async function sessionOf(role: Role): Promise<TestCredential> {
  // Signing out is one of the operations: each request is of a session of its own.
  return {
    who: `a session of the role ${role}`,
    headers: async () => (await person(t, role)).headers,
    grant: { scopes: expandScopes(ROLES[role].scopes), role, isPerson: true },
  };
}

async function secretOf(
  scopes: Scope[],
  more: Record<string, unknown> = {},
): Promise<{ id: string; key: string }> {
  const body = JSON.stringify({ name: "k", scopes, ...more });
  const headers = { "content-type": "application/json" };
  return (await t.api("/v1/api-keys", { method: "POST", headers, body })).json() as Promise<{
    id: string;
    key: string;
  }>;
}

async function keyWith(who: string, scopes: Scope[]): Promise<TestCredential> {
  const { key } = await secretOf(scopes);
  const grant = { scopes: expandScopes(scopes), role: null, isPerson: false };
  return { who, headers: async () => ({ authorization: `Bearer ${key}` }), grant };
}

/** What opens nothing. */
async function worthless(): Promise<TestCredential[]> {
  const every = [...SCOPES];
  const bearer = (key: string) => async () => ({ authorization: `Bearer ${key}` });
  const revoked = await secretOf(every);
  await t.api(`/v1/api-keys/${revoked.id}`, { method: "DELETE" });
  const expired = await secretOf(every, { expires_at: new Date(t.clock.now() + 1_000).toISOString() });
  t.clock.advance(2_000);
  const foreign = await secondOrg(t, "foreign");
  const { api_key } = await createOrg(t.deps, "third");
  const ended = await person(t, "owner");
  await ended.send("POST", "/v1/session/signout");
  return [
    { who: "nobody", headers: async () => ({ authorization: "" }), grant: null },
    { who: "a revoked key", headers: bearer(revoked.key), grant: null },
    { who: "an expired key", headers: bearer(expired.key), grant: null },
    { who: "a key that is none", headers: bearer("product_sk_nothing"), grant: null },
    { who: "a session that has ended", headers: async () => ended.headers, grant: null },
    {
      who: "a key of another org",
      headers: async () => ({ authorization: `Bearer ${api_key}`, "x-org-id": t.orgId }),
      grant: null,
    },
    {
      who: "an owner of another org",
      headers: async () => ({ ...foreign.owner.headers, "x-org-id": t.orgId }),
      grant: null,
    },
    {
      who: "an owner whose browser is led here by another page",
      headers: async () => ({ ...(await person(t, "owner")).headers, origin: "https://evil.example" }),
      grant: null,
    },
  ];
}

/** Whether table and description let a credential in. */
function isNamed(operation: Operation, { grant, below = "" }: TestCredential): boolean {
  if (grant === null || !operation.path.startsWith(below)) return false;
  const { "x-scopes": scopes, "x-roles": roles, security } = operation;
  const isForPersons = security.every((one) => Object.keys(one).every((scheme) => scheme === "cookie"));
  if (isForPersons && !grant.isPerson) return false;
  if (roles && (grant.role === null || !roles.includes(grant.role))) return false;
  if (operation["x-own"] && grant.isPerson) return true;
  return !scopes || scopes.some((scope) => grant.scopes.has(scope));
}

/** With ids of nothing and without a body: nobody whom it lets in changes anything. */
async function statusOf({ method, path }: Operation, credential: TestCredential): Promise<number> {
  const harmless = path.replace(/\{\w+\}/g, NOBODY);
  const response = await t.api(harmless, { method, headers: await credential.headers() });
  await response.body?.cancel();
  return response.status;
}

const asksWho = ({ security }: Operation) => security.length > 0;

test("every operation lets in whom the table names, and nobody else", async () => {
  const wrong: string[] = [];
  for (const credential of credentials)
    for (const operation of operations.filter(asksWho)) {
      const isSafeMethod = ["GET", "HEAD"].includes(operation.method);
      // Reading by a page of another origin is for the browser to refuse.
      if (credential.who.includes("another page") && isSafeMethod) continue;
      const status = await statusOf(operation, credential);
      const isLetIn = status !== 401 && status !== 403;
      if (isLetIn !== isNamed(operation, credential))
        wrong.push(`${operation.operationId} by ${credential.who}: ${status}`);
    }
  expect(wrong).toEqual([]);
  expect(credentials.length * operations.filter(asksWho).length).toBeGreaterThan(3_000);
});

test("a token reaches nothing by its person's role alone: where no scope is asked for, a person who is signed in is", async () => {
  const { key } = (
    await (
      await person(t, "owner")
    ).send<{ key: string }>("POST", "/v1/api-keys", {
      ...{ kind: "pat", name: "ci", scopes: ["traces:read"] },
    })
  ).body;
  const byRole = operations.filter(
    (one) => asksWho(one) && one["x-roles"] && !one["x-scopes"] && !one["x-own"],
  );
  expect(byRole.length).toBeGreaterThan(6);
  const reached: string[] = [];
  for (const operation of byRole) {
    const headers = async () => ({ authorization: `Bearer ${key}` });
    const status = await statusOf(operation, { who: "a personal token", headers, grant: null });
    if (status !== 403) reached.push(`${operation.operationId}: ${status}`);
  }
  expect(reached).toEqual([]);
});

describe("by the table", () => {
  const allowed = (role: Role) => {
    const credential = credentials.find(({ who }) => who === `a session of the role ${role}`)!;
    return operations.filter((one) => asksWho(one) && isNamed(one, credential));
  };

  test("an admin may do all that an owner may, but delete or transfer the org", () => {
    const ids = new Set(allowed("admin").map(({ operationId }) => operationId));
    const missing = allowed("owner").filter(({ operationId }) => !ids.has(operationId));
    expect(missing.map(({ operationId }) => operationId)).toEqual(["orgs.delete", "orgs.transfer"]);
  });

  test("an owner may do everything", () => {
    expect(allowed("owner")).toHaveLength(operations.filter(asksWho).length);
  });

  test("billing may see the bill, and what is anybody's own", () => {
    const OWN =
      /^(?:\/v1\/billing\/.*|\/api\/v1\/me|\/v1\/session(?:s|\/).*|\/v1\/profile.*|\/v1\/orgs|\/v1\/orgs\/\{id\}\/leave)$/;
    const more = allowed("billing").filter((one) => !one["x-own"] && !OWN.test(one.path));
    expect(more.map(({ operationId }) => operationId)).toEqual([]);
  });

  test("a member may not manage the org", () => {
    const MANAGING = ["keys", "secrets", "members", "invitations", "mail", "billing", "audit"];
    const more = allowed("member").filter(
      (one) => !one["x-own"] && one.tags.some((tag) => MANAGING.includes(tag)),
    );
    expect(more.map(({ operationId }) => operationId)).toEqual([]);
  });

  test("the documentation says the same", async () => {
    const text = await Bun.file(join(import.meta.dir, "../../../viewer/docs/accounts.md")).text();
    const rows = [...text.matchAll(/^\| (\w+) +\| (.+?) +\|$/gm)].map(([, role, may]) => [role, may]);
    for (const [role, { may }] of Object.entries(ROLES)) expect(rows).toContainEqual([role, may]);
  });

  test("what nobody is asked for is public on purpose", () => {
    const OPEN =
      /^\/(?:r|files|run-files|docs)\/|^\/(?:signin|docs|health|healthz|readyz|metrics|openapi\.json|v1\/openapi\.json|signin\/.*|v1\/session\/(?:methods|password|magic-link|magic-link\/use)|v1\/invitations\/(?:open|accept)|v1\/agent-signup|v1\/status(?:\/\{slug\})?|v1\/gate\/(?:decision|picture)|v1\/webhooks\/github|status|api\/oauth\/\w+|\.well-known\/oauth-.*)$/;
    const open = operations.filter((one) => !asksWho(one) && !OPEN.test(one.path));
    expect(open.map(({ operationId }) => operationId)).toEqual([]);
  });
});
