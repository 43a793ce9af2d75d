import { readLimited } from "../../http/body.ts";
import { OAuthError } from "../../http/oauth-error.ts";

const MAX_FORM_BYTES = 16 * 1024;

/** The fields of a form; one that is empty counts as not there (RFC 6749, section 3.2). */
export type Form = ReadonlyMap<string, string>;

/**
 * Reads a form from a request's body.
 * @throws OAuthError `invalid_request`, AppError `body_too_large`
 */
export async function readForm(request: Request): Promise<Form> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded")
    throw new OAuthError(
      "invalid_request",
      "The body must be a form, with Content-Type: application/x-www-form-urlencoded.",
    );
  return readParameters(new TextDecoder().decode(await readLimited(request, MAX_FORM_BYTES)));
}

/**
 * The parameters of a query string or form.
 * @throws OAuthError `invalid_request` where one is given twice
 */
export function readParameters(text: string): Form {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name))
      throw new OAuthError(
        "invalid_request",
        `The parameter ${name.replace(/\W/g, "?").slice(0, 64)} is given more than once.`,
      );
    fields.set(name, value);
  }
  for (const [name, value] of fields) if (value === "") fields.delete(name);
  return fields;
}

/** @throws OAuthError `invalid_request` when it is missing */
export function requireField(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `The parameter ${name} is missing.`);
  return value;
}
