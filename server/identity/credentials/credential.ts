import type { Role } from "../../../store/records/schema.ts";
import type { Principal } from "../actor.ts";
import { expandScopes, SCOPES, type Scope } from "../scopes.ts";

/** A credential that was checked, before the request says for which org it is used. */
export interface Credential {
  principal: Principal;
  /** The org it stands for when the request names none. */
  orgId: string;
  /** Every org it may stand for, with what it may do there. */
  orgs: ReadonlyMap<string, Grant>;
  /** Origin of the server that it is for (RFC 8707), where it is for one only. */
  audience?: string;
  /** Token of a session whose cookie should be sent again with a new lifetime. */
  renewedSession?: string;
}

export interface Grant {
  role: Role | null;
  scopes: ReadonlySet<Scope>;
}

/**
 * Checks credentials of one form.
 * @returns null when the request has none of this form: the next resolver is asked
 * @throws AppError (at once or later) `unauthorized` when it is not good, `forbidden` for a foreign Origin
 */
export type CredentialResolver = (request: Request, path: string) => Promise<Credential> | null;

const EVERY_SCOPE = expandScopes(SCOPES);

/** What a principal that nobody limits may do: everything, in one org. */
export function unlimited(principal: Principal, orgId: string): Credential {
  return { principal, orgId, orgs: new Map([[orgId, { role: null, scopes: EVERY_SCOPE }]]) };
}
