import { hashSecret } from "../../server/identity/key-secrets.ts";
import { SESSION_MS } from "../../server/identity/session-cookie.ts";
import { insertSession } from "../../store/records/identity.ts";
import type { TestApp } from "./app.ts";

/** Opens a session of a user in the app's org. @returns the `Cookie` header that goes with it */
export async function signedIn({ deps, orgId }: TestApp, userId: string): Promise<string> {
  const token = deps.ids.secret(43);
  const now = deps.clock.now();
  const times = { created_at: now, expires_at: now + SESSION_MS, last_seen_at: now };
  await insertSession(deps.store.records, {
    hash: hashSecret(token),
    user_id: userId,
    org_id: orgId,
    ...times,
  });
  return `product_session=${token}`;
}
