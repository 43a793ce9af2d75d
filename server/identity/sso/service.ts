import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { Actor } from "../actor.ts";
import { isFirstOrg } from "../orgs.ts";
import { ProviderUnreachableError } from "../providers/provider.ts";
import { callbackOf } from "../signin/external.ts";
import { isSsoEnforced } from "../signin/home.ts";
import type { SsoTest, SsoView } from "./model.ts";

/** What settings.json says of single sign-on, without its secret; nothing of it for any but the first org. */
export async function showSso(deps: Deps, { orgId }: Pick<Actor, "orgId">): Promise<SsoView> {
  const applies = await isFirstOrg(deps, orgId);
  const { issuer, client_id, client_secret, verified_domains, status_page_url } = deps.config.settings.sso;
  return {
    applies,
    issuer: applies ? issuer : null,
    client_id: applies ? client_id : null,
    has_client_secret: applies && client_secret !== null,
    is_configured: applies && deps.identityState.sso !== null,
    enforced: applies && isSsoEnforced(deps),
    verified_domains: applies ? [...verified_domains] : [],
    status_page_url: applies ? status_page_url : null,
    callback_url: callbackOf(deps, "sso"),
    code_host: applies ? (deps.identityState.codeHost?.name ?? null) : null,
    code_host_callback_url: callbackOf(deps, "code_host"),
  };
}

/**
 * Reads the provider's discovery document anew.
 * @throws AppError `conflict` where no provider is configured
 */
export async function testSso(deps: Deps, { orgId }: Pick<Actor, "orgId">): Promise<SsoTest> {
  const { sso } = deps.identityState;
  if (!sso || !(await isFirstOrg(deps, orgId)))
    throw new AppError(
      "conflict",
      "There is no provider to test: settings.json names no sso.issuer and sso.client_id.",
    );
  try {
    return { ok: true, message: `${sso.issuer} answers.`, ...(await sso.test()) };
  } catch (error) {
    if (!(error instanceof ProviderUnreachableError)) throw error;
    return { ok: false, message: error.message, authorization_endpoint: null, token_endpoint: null };
  }
}
