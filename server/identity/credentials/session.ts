import type { Records } from "../../../store/records/db.ts";
import { listMemberships } from "../../../store/records/identity.ts";
import { whereWritable } from "../../../store/records/outcome.ts";
import { extendSession, findSession } from "../../../store/records/sessions.ts";
import type { Config } from "../../config.ts";
import { unauthorized } from "../../http/errors.ts";
import { checkOrigin } from "../../http/guard.ts";
import { hashSecret, isEqualHash } from "../key-secrets.ts";
import { scopesOfRole } from "../scopes.ts";
import { readSessionCookie, SESSION_MS } from "../session-cookie.ts";
import type { Credential, CredentialResolver } from "./credential.ts";
import type { CredentialMemory, Found } from "./memory.ts";

/** A session's lifetime slides, but is not written at every request. */
const EXTEND_AFTER_MS = 60 * 60_000;

/** Sessions by their cookie. */
export function sessionResolver(
  { records, config }: { records: Records; config: Pick<Config, "publicUrl"> },
  memory: CredentialMemory,
): CredentialResolver {
  async function check(token: string, request: Request): Promise<Credential> {
    let isRenewed = false;
    const credential = await memory.known(hashSecret(token), async (hash, now): Promise<Found | null> => {
      const session = await findSession(records, hash);
      if (!session || !isEqualHash(session.hash, hash)) return null;
      const isDue = session.expires_at > now && now - session.last_seen_at >= EXTEND_AFTER_MS;
      const renewed = { last_seen_at: now, expires_at: now + SESSION_MS };
      // Where nothing can be written, one can read all the same, until the session's old end.
      isRenewed = isDue && (await whereWritable(records, () => extendSession(records, hash, renewed)));
      const expiresAt = isRenewed ? renewed.expires_at : session.expires_at;
      const memberships = await listMemberships(records, session.user_id);
      return {
        expiresAt,
        credential: {
          principal: { type: "session", id: session.id, userId: session.user_id },
          orgId: session.org_id,
          orgs: new Map(
            memberships.map(({ org_id, role }) => [org_id, { role, scopes: scopesOfRole(role) }]),
          ),
        },
      };
    });
    if (!credential) throw unauthorized("The session has ended; sign in again.");
    checkOrigin(request, config.publicUrl);
    // The cookie is sent again once, not for as long as the session is remembered.
    return isRenewed ? { ...credential, renewedSession: token } : credential;
  }

  return (request) => {
    const cookie = request.headers.get("cookie");
    const token = cookie === null ? null : readSessionCookie(cookie);
    return token === null ? null : check(token, request);
  };
}
