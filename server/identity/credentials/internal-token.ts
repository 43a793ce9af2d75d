import type { Records } from "../../../store/records/db.ts";
import { findOrg, someOrgIds } from "../../../store/records/identity.ts";
import type { Config } from "../../config.ts";
import { invalid, unauthorized } from "../../http/errors.ts";
import { isEqualSecret } from "../key-secrets.ts";
import { type Credential, type CredentialResolver, unlimited } from "./credential.ts";
import { namedOrg } from "./named-org.ts";

/** The internal token, which counts below `/internal/` only, for the org that the request names or the only one. */
export function internalTokenResolver({
  records,
  config,
}: {
  records: Records;
  config: Pick<Config, "settings">;
}): CredentialResolver {
  async function check(token: string, { headers }: Request): Promise<Credential> {
    const expected = config.settings.internal_service_token;
    if (!expected || !isEqualSecret(token, expected)) throw unauthorized("The internal token is not right.");
    const named = namedOrg(headers);
    const orgIds = await someOrgIds(records);
    if (named === null && orgIds.length > 1)
      throw invalid("There are several orgs: say in the x-org-id header which one this is for.");
    const orgId = named === null || !(await findOrg(records, named)) ? orgIds[0]! : named;
    return unlimited({ type: "internal", id: "internal", userId: null }, orgId);
  }

  return (request, path) => {
    if (!path.startsWith("/internal/")) return null;
    const { headers } = request;
    const token = headers.get("x-internal-token") ?? headers.get("internal_service_token");
    return token === null ? null : check(token, request);
  };
}
