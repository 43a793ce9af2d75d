import { openSession } from "../../server/identity/sessions/open.ts";
import { commit } from "../../server/jobs/commit.ts";
import { insertMembership, insertUser } from "../../store/records/identity.ts";
import type { Role } from "../../store/records/schema.ts";
import type { TestApp } from "./app.ts";

/** Headers of a page of this server, without a cookie. */
export const FROM_PAGE = { authorization: "", origin: "http://localhost" };

/** A user, in the first org unless another one is named, with a password when given, and the headers of a session. */
export async function person(
  t: TestApp,
  options: { email?: string; role?: Role; orgId?: string | null; password?: string } = {},
) {
  const { records } = t.store;
  const id = t.deps.ids.uuid();
  const { email = `${id}@shop.example`, role = "member", orgId = t.orgId, password } = options;
  const created_at = t.clock.now();
  const password_hash = password ? await t.deps.identityState.passwords.hash(password) : null;
  await insertUser(records, { id, email, name: "Ada", password_hash, created_at });
  if (orgId === null) return { id, email, headers: { authorization: "" } as Record<string, string> };
  await insertMembership(records, { org_id: orgId, user_id: id, role, created_at });
  const token = await commit(t.deps, (trx, after) =>
    openSession(t.deps, trx, after, {
      ...{ userId: id, orgId, method: "link" },
      device: { ip: null, userAgent: null },
    }),
  );
  const headers: Record<string, string> = { authorization: "", cookie: `product_session=${token}` };
  return { id, email, headers };
}

/** The cookie of an answer that signs in, as a request brings it; null when there is none. */
export function cookieOf(response: Response, name = "product_session"): string | null {
  const set = response.headers.getSetCookie().find((one) => one.startsWith(`${name}=`));
  const pair = set?.split(";", 1)[0] ?? null;
  return pair === `${name}=` ? null : pair;
}
