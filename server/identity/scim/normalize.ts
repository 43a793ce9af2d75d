import { refused } from "./errors.ts";
import { type Json, toBoolean } from "./evaluate.ts";
import { type Attribute, findAttribute, type Shape } from "./shape.ts";

/** Bytes of what is kept of one user or group, members aside. */
export const MAX_RESOURCE_BYTES = 64 * 1024;

/**
 * What a client says of a resource, in the names of the schemas. What no schema has, what only the server says and passwords are
 * left out (RFC 7644, section 3.3), and nothing stands for what has no value.
 * @throws AppError 400 `invalidValue` naming the attribute
 */
export function normalize(shape: Shape, given: Json): Json {
  const result: Json = {};
  for (const [name, value] of Object.entries(given)) {
    const found = findAttribute(shape, name);
    if (found?.length !== 1) continue;
    const [attribute] = found;
    if (attribute!.mutability === "readOnly" || attribute!.mutability === "writeOnly") continue;
    const kept = normalizeValue(attribute!, value, attribute!.name);
    if (kept !== undefined) result[attribute!.name] = kept;
  }
  return result;
}

/** @throws AppError 400 `invalidValue` when it is more than is kept of one resource */
export function requireSize(attributes: Json): void {
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_RESOURCE_BYTES)
    throw refused(
      "invalidValue",
      `What is said of one resource may have at most ${MAX_RESOURCE_BYTES} bytes.`,
    );
}

/** The message of a body's `schemas`. @throws AppError 400 `invalidSyntax` when it does not name the one that is meant */
export function requireSchema(body: unknown, urn: string): Json {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw refused("invalidSyntax", "The body must be a JSON object.");
  const { schemas } = body as Json;
  const names = Array.isArray(schemas) ? schemas.map((name) => String(name).toLowerCase()) : [];
  if (!names.includes(urn.toLowerCase()))
    throw refused("invalidSyntax", `The body's "schemas" must name ${urn}.`);
  return body as Json;
}

/** One attribute's value; undefined when it is none. @throws AppError 400 `invalidValue` naming the attribute */
export function normalizeValue(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return normalizeOne(attribute, value, path);
  const given = Array.isArray(value) ? value : [value];
  const values = given.flatMap((one) => normalizeOne(attribute, one, path) ?? []);
  if (values.filter((one) => (one as Json).primary === true).length > 1)
    throw refused("invalidValue", `Only one value of "${path}" may be the primary one.`);
  return values.length > 0 ? values : undefined;
}

function normalizeOne(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null) return undefined;
  if (attribute.type === "complex") return normalizeComplex(attribute, value, path);
  if (attribute.type === "boolean") {
    const flag = toBoolean(value);
    if (flag === null) throw refused("invalidValue", `"${path}" must be true or false.`);
    return flag;
  }
  if (attribute.type === "integer" || attribute.type === "decimal") {
    if (typeof value !== "number") throw refused("invalidValue", `"${path}" must be a number.`);
    return value;
  }
  if (typeof value !== "string") throw refused("invalidValue", `"${path}" must be text.`);
  return value === "" ? undefined : value;
}

function normalizeComplex(attribute: Attribute, value: unknown, path: string): unknown {
  // Entra sends a manager, and values of roles, as their bare value.
  const given = typeof value === "string" && attribute.sub.has("value") ? { value } : value;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refused("invalidValue", `"${path}" must be an object with some of ${namesOf(attribute)}.`);
  const result: Json = {};
  for (const [name, inner] of Object.entries(given)) {
    const sub = attribute.sub.get(name.toLowerCase());
    if (!sub || sub.mutability === "readOnly") continue;
    const kept = normalizeValue(sub, inner, `${path}.${sub.name}`);
    if (kept !== undefined) result[sub.name] = kept;
  }
  return Object.keys(result).length > 0 ? result : undefined;
}

const namesOf = (attribute: Attribute) => [...attribute.sub.values()].map(({ name }) => name).join(", ");
