import type { Records } from "../../../store/records/db.ts";
import { findOrg } from "../../../store/records/identity.ts";
import type { Config } from "../../config.ts";
import { unauthorized } from "../../http/errors.ts";
import { type Credential, type CredentialResolver, unlimited } from "./credential.ts";

/** The org that a trusted proxy names in `x-product-org`, under `--trust-org-header`. */
export function orgHeaderResolver({
  records,
  config,
}: {
  records: Records;
  config: Pick<Config, "trustOrgHeader">;
}): CredentialResolver {
  async function check(orgId: string): Promise<Credential> {
    if (!(await findOrg(records, orgId))) throw unauthorized("The org in x-product-org does not exist.");
    return unlimited({ type: "org_header", id: "org_header", userId: null }, orgId);
  }

  return ({ headers }) => {
    const orgId = config.trustOrgHeader ? headers.get("x-product-org") : null;
    return orgId === null ? null : check(orgId);
  };
}
