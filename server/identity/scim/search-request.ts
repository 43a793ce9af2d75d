import { SEARCH_URN } from "./discovery.ts";
import { refused } from "./errors.ts";
import type { Json } from "./evaluate.ts";
import type { ListQuery } from "./list.ts";
import { requireSchema } from "./normalize.ts";

/** A SearchRequest (RFC 7644, section 3.4.3) as the query of a list. @throws AppError 400 `invalidSyntax`, `invalidValue` */
export function readSearch(body: unknown): ListQuery {
  const message = requireSchema(body, SEARCH_URN);
  return {
    attributes: names(message, "attributes"),
    excludedAttributes: names(message, "excludedAttributes"),
    filter: text(message, "filter"),
    sortBy: text(message, "sortBy"),
    sortOrder: text(message, "sortOrder"),
    startIndex: number(message, "startIndex"),
    count: number(message, "count"),
  };
}

function names(message: Json, name: string): string | undefined {
  const value = message[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.some((one) => typeof one !== "string"))
    throw refused("invalidValue", `"${name}" must be a list of names.`);
  return value.join(",");
}

function text(message: Json, name: string): string | undefined {
  const value = message[name] ?? undefined;
  if (value !== undefined && typeof value !== "string")
    throw refused("invalidValue", `"${name}" must be text.`);
  return value;
}

function number(message: Json, name: string): number | undefined {
  const value = message[name] ?? undefined;
  if (value !== undefined && typeof value !== "number")
    throw refused("invalidValue", `"${name}" must be a whole number.`);
  return value;
}
