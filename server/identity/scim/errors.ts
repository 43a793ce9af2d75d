import { AppError } from "../../http/errors.ts";

/** What a 400 is more precisely (RFC 7644, table 9). */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany";

export const refused = (scimType: ScimType, message: string) =>
  new AppError("invalid_request", message, { scimType });

/** 409: there is one already of what there may be one of. */
export const notUnique = (message: string) => new AppError("conflict", message, { scimType: "uniqueness" });
