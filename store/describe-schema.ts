import type { TSchema } from "@sinclair/typebox";

/**
 * What a schema asks for, in words: "a whole number from 1 to 200", "one of red, green". Names no value that was sent,
 * so that it may stand in answers and logs.
 */
export function describeSchema(schema: TSchema): string {
  if (schema.const !== undefined) return String(schema.const);
  if (Array.isArray(schema.enum)) return oneOf(schema.enum.map(String));
  if (Array.isArray(schema.anyOf)) return describeUnion(schema.anyOf as TSchema[]);
  switch (schema.type) {
    case "integer":
      return `a whole number${range(schema)}`;
    case "number":
      return `a number${range(schema)}`;
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "array":
      return describeList(schema);
    case "object":
      return "an object";
    case "string":
      return describeText(schema);
    default:
      return "another value";
  }
}

function describeUnion(members: TSchema[]): string {
  if (members.every((member) => member.const !== undefined))
    return oneOf(members.map((member) => String(member.const)));
  // Elysia accepts numbers and flags in query strings as text too: a client need not know.
  const telling = members.filter((member) => !(member.type === "string" && isCoercion(member)));
  return [...new Set(telling.map(describeSchema))].join(" or ");
}

function isCoercion(schema: TSchema): boolean {
  return ["numeric", "integer", "boolean", "ObjectString", "ArrayString"].includes(String(schema.format));
}

function describeList(schema: TSchema): string {
  const min = schema.minItems as number | undefined;
  const max = schema.maxItems as number | undefined;
  const size = max === undefined ? (min ? ` of at least ${min}` : "") : ` of ${min ?? 0} to ${max}`;
  return `a list${size}${schema.uniqueItems ? " without repetition" : ""}`;
}

function describeText(schema: TSchema): string {
  if (schema.format) return `text in the form "${schema.format}"`;
  if (schema.pattern) return `text that matches ${schema.pattern}`;
  const min = schema.minLength as number | undefined;
  const max = schema.maxLength as number | undefined;
  if (min !== undefined && max !== undefined) return `text of ${min} to ${max} characters`;
  if (max !== undefined) return `text of at most ${max} characters`;
  return min === undefined ? "text" : `text of at least ${min} character${min === 1 ? "" : "s"}`;
}

function range(schema: TSchema): string {
  const min = schema.minimum as number | undefined;
  const max = schema.maximum as number | undefined;
  if (schema.exclusiveMinimum !== undefined)
    return ` above ${schema.exclusiveMinimum}${max === undefined ? "" : `, at most ${max}`}`;
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}

function oneOf(values: string[]): string {
  return values.length === 1 ? values[0]! : `one of ${values.join(", ")}`;
}
