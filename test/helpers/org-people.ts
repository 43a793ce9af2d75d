import { createOrg } from "../../server/identity/orgs.ts";
import { openSession } from "../../server/identity/sessions/open.ts";
import { commit } from "../../server/jobs/commit.ts";
import { insertMembership, insertUser } from "../../store/records/identity.ts";
import type { Role } from "../../store/records/schema.ts";
import type { TestApp } from "./app.ts";

/** Somebody who is signed in, and what they call the server with. */
export interface TestPerson {
  userId: string;
  email: string;
  /** What a request carries so that it comes from a page of this server in their browser. */
  headers: Record<string, string>;
  call(path: string, init?: RequestInit): Promise<Response>;
  /** A call with a JSON body; the status and what was answered. */
  send<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Body }>;
}

let made = 0;

/** A user with a role in an org (the first one unless told otherwise), signed in there. */
export async function person(
  t: TestApp,
  role: Role | null,
  { orgId = t.orgId, email = `${role}-${++made}@people.example` }: { orgId?: string; email?: string } = {},
): Promise<TestPerson> {
  const userId = t.deps.ids.uuid();
  const now = t.clock.now();
  await insertUser(t.store.records, {
    id: userId,
    email,
    name: email.split("@")[0]!,
    password_hash: null,
    created_at: now,
  });
  if (role)
    await insertMembership(t.store.records, { org_id: orgId, user_id: userId, role, created_at: now });
  return signedIn(t, { userId, orgId, email });
}

/** A user that is there, signed in anew. */
export async function signedIn(
  t: TestApp,
  { userId, orgId = t.orgId, email = "" }: { userId: string; orgId?: string; email?: string },
): Promise<TestPerson> {
  const token = await commit(t.deps, (trx, after) =>
    openSession(t.deps, trx, after, { userId, orgId, method: "link", device: { ip: null, userAgent: null } }),
  );
  const headers = { authorization: "", cookie: `product_session=${token}`, origin: "http://localhost" };
  const call = (path: string, init: RequestInit = {}) =>
    t.api(path, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } });
  return {
    userId,
    email,
    headers,
    call,
    async send<Body>(method: string, path: string, body?: unknown) {
      const response = await call(path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      const text = await response.text();
      return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as Body };
    },
  };
}

/** A second org, with an owner who is signed in and a key of its own that carries every scope. */
export async function secondOrg(t: TestApp, slug = "other") {
  const { org_id: orgId, api_key } = await createOrg(t.deps, slug);
  const owner = await person(t, "owner", { orgId });
  return { orgId, owner, headers: { authorization: `Bearer ${api_key}` } };
}
