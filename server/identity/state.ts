import type { Settings } from "../../store/settings.ts";
import type { Clock } from "../platform/clock.ts";
import { type AccountLimits, createAccountLimits } from "./account-limits.ts";
import { createFailedSignIns, type FailedSignIns } from "./failed-signins.ts";
import { createPasswords, type PasswordCost, type Passwords } from "./passwords.ts";
import { createCodeHost } from "./providers/code-host.ts";
import { createOidcProvider, type OidcProvider } from "./providers/oidc.ts";
import type { Provider } from "./providers/provider.ts";

/** What the wing holds in memory. */
export interface IdentityState {
  passwords: Passwords;
  accountLimits: AccountLimits;
  failedSignIns: FailedSignIns;
  /** The identity provider of settings.json; null when none is named. */
  sso: OidcProvider | null;
  codeHost: Provider | null;
}

export function createIdentityState(deps: {
  settings: Settings;
  clock: Pick<Clock, "monotonic">;
  passwordCost?: PasswordCost | undefined;
}): IdentityState {
  const { settings, clock, passwordCost } = deps;
  const { issuer, client_id, client_secret } = settings.sso;
  const { api_url, oauth_client_id, oauth_client_secret } = settings.code_host;
  return {
    passwords: createPasswords(passwordCost),
    accountLimits: createAccountLimits(clock, settings.rate_limits.anonymous.sign_ins_per_minute),
    failedSignIns: createFailedSignIns(),
    sso:
      issuer && client_id
        ? createOidcProvider({ issuer, clientId: client_id, clientSecret: client_secret }, clock)
        : null,
    codeHost:
      oauth_client_id && oauth_client_secret
        ? createCodeHost({
            apiUrl: api_url,
            clientId: oauth_client_id,
            clientSecret: oauth_client_secret,
          })
        : null,
  };
}
