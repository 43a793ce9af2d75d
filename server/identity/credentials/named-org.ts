import { AppError, invalid } from "../../http/errors.ts";
import type { Actor } from "../actor.ts";
import type { Credential } from "./credential.ts";

/**
 * The org that the request names in `x-org-id` or `x-product-org`, which mean the same.
 * @throws AppError `invalid_request` when the two differ
 */
export function namedOrg(headers: Headers): string | null {
  const id = headers.get("x-org-id");
  const product = headers.get("x-product-org");
  if (id !== null && product !== null && id !== product)
    throw invalid("The headers x-org-id and x-product-org name different orgs: send one of them.");
  return id ?? product;
}

/**
 * The credential used for the org that the request names, else for its own.
 * @throws AppError `wrong_org`, or `invalid_request` when the two org headers differ
 */
export function toActor(credential: Credential, headers: Headers, ip: string | null): Actor {
  const orgId = namedOrg(headers) ?? credential.orgId;
  const grant = credential.orgs.get(orgId);
  if (!grant)
    throw new AppError("wrong_org", "This credential does not belong to the org that the request names.");
  return { ...credential.principal, orgId, role: grant.role, scopes: grant.scopes, ip };
}
