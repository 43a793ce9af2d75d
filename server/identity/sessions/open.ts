import { recordAudit } from "../../../store/records/audit.ts";
import type { Trx } from "../../../store/records/db.ts";
import { insertSession } from "../../../store/records/sessions.ts";
import type { SignInMethod } from "../../../store/records/sign-in-schema.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { hashSecret } from "../key-secrets.ts";
import { SESSION_MS } from "../session-cookie.ts";

export const SECRET_LENGTH = 43;
/** Sessions of one user; of more, those that were not seen for longest end. */
export const MAX_SESSIONS = 100;
const MAX_AGENT_LENGTH = 400;

/** Where somebody signs in from. */
export interface Device {
  ip: string | null;
  userAgent: string | null;
}

/** What a request tells of the device that it came from. */
export function deviceOf(deps: Pick<Deps, "addressOf">, request: Request): Device {
  const userAgent = request.headers.get("user-agent")?.slice(0, MAX_AGENT_LENGTH) ?? null;
  return { ip: deps.addressOf(request), userAgent };
}

/**
 * Opens a session in the transaction that checks who somebody is. Every sign-in has a token of its own, whatever cookie the
 * browser came with.
 * @returns the token for the cookie
 */
export async function openSession(
  deps: Pick<Deps, "clock" | "ids" | "credentials">,
  trx: Trx,
  after: Pick<After, "follow">,
  session: { userId: string; orgId: string; method: SignInMethod; device: Device },
): Promise<string> {
  const { userId, orgId, method, device } = session;
  const token = deps.ids.secret(SECRET_LENGTH);
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const ended = await insertSession(
    trx,
    {
      hash: hashSecret(token),
      id,
      user_id: userId,
      org_id: orgId,
      method,
      ip: device.ip,
      user_agent: device.userAgent,
      created_at: now,
      expires_at: now + SESSION_MS,
      last_seen_at: now,
    },
    MAX_SESSIONS,
  );
  after.follow(() => {
    for (const hash of ended) deps.credentials.forgetSession(hash);
  });
  await recordAudit(trx, {
    orgId,
    at: now,
    actor: { type: "user", id: userId },
    action: "session.signin",
    target: id,
    ip: device.ip,
    detail: { method },
  });
  return token;
}
