import type { Records } from "../../../store/records/db.ts";
import { whereWritable } from "../../../store/records/outcome.ts";
import type { Config } from "../../config.ts";
import type { Clock } from "../../platform/clock.ts";
import { createApiKeys } from "./api-key.ts";
import { refuseUnknownAuthorization } from "./authorization.ts";
import type { Credential, CredentialResolver } from "./credential.ts";
import { internalTokenResolver } from "./internal-token.ts";
import { createCredentialMemory } from "./memory.ts";
import { createOAuthTokens } from "./oauth-token.ts";
import { orgHeaderResolver } from "./org-header.ts";
import { sessionResolver } from "./session.ts";

/** Checks who makes a request. Keys and sessions are remembered for 30 s; `forget…` makes a change count at once. */
export interface Credentials {
  /**
   * The first resolver that knows the form of a credential in the request decides.
   * @returns null when none is given
   * @throws AppError `unauthorized` when it is not good, `forbidden` for a foreign Origin
   */
  check(request: Request, path: string): Promise<Credential | null>;
  forgetKey(id: string): void;
  forgetSession(hash: string): void;
  /** A grant of OAuth with all its tokens. */
  forgetGrant(id: string): void;
  /** One access token of OAuth. */
  forgetToken(hash: string): void;
  /** Whatever a user got in by: their role has changed, or they have left an org. */
  forgetUser(userId: string): void;
  /** Whatever stands for an org: it was deleted. */
  forgetOrg(orgId: string): void;
  /** Writes when keys and grants were last used. */
  flushUses(): Promise<void>;
  /** The same before they are shown; where nothing can be written, what is known from before is shown. */
  tryFlushUses(): Promise<void>;
}

export function createCredentials(deps: {
  config: Pick<Config, "publicUrl" | "trustOrgHeader" | "settings">;
  clock: Pick<Clock, "now" | "monotonic">;
  records: Records;
}): Credentials {
  const memory = createCredentialMemory(deps.clock);
  const apiKeys = createApiKeys(deps, memory);
  const oauthTokens = createOAuthTokens(deps, memory);
  const resolvers: readonly CredentialResolver[] = [
    apiKeys.resolve,
    oauthTokens.resolve,
    // Other tokens of the Authorization header stand before this.
    refuseUnknownAuthorization,
    sessionResolver(deps, memory),
    internalTokenResolver(deps),
    orgHeaderResolver(deps),
  ];
  async function flushUses() {
    await apiKeys.flushUses();
    await oauthTokens.flushUses();
  }
  return {
    check: (request, path) => firstKnown(resolvers, request, path),
    forgetKey: apiKeys.forget,
    forgetSession: memory.forget,
    forgetGrant: oauthTokens.forget,
    forgetToken: memory.forget,
    forgetUser: (userId) => memory.forgetWhere(({ principal }) => principal.userId === userId),
    forgetOrg: (orgId) => memory.forgetWhere(({ orgs }) => orgs.has(orgId)),
    flushUses,
    tryFlushUses: async () => void (await whereWritable(deps.records, flushUses)),
  };
}

/** What the first resolver that knows the credential's form finds; null when none does. Whoever throws decides too. */
export async function firstKnown(
  resolvers: readonly CredentialResolver[],
  request: Request,
  path: string,
): Promise<Credential | null> {
  for (const resolve of resolvers) {
    const found = resolve(request, path);
    if (found) return found;
  }
  return null;
}
