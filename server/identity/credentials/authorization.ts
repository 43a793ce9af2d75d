import { unauthorized } from "../../http/errors.ts";
import type { CredentialResolver } from "./credential.ts";

/** The token of `Authorization: Bearer …`; null when that header is absent or names another scheme. */
export function bearerToken(headers: Headers): string | null {
  return /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Refuses an Authorization header that no resolver before it knows: what stands after it must not help a bad token. */
export const refuseUnknownAuthorization: CredentialResolver = ({ headers }) => {
  if (headers.get("authorization") === null) return null;
  throw bearerToken(headers) === null
    ? unauthorized("The Authorization header must be: Bearer <API key>.")
    : unknownKey();
};

/** The same for a key that is none and one that was good once. */
export const unknownKey = () => unauthorized("The API key is not known, was revoked or has expired.");
