/** A JSON Schema as OpenAPI 3.1 has it, so far as the reference reads it. */
export interface Schema {
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  $ref?: string;
}

/** What a schema takes, in words. */
export function inWords(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return `one of ${schema.enum.map(String).join(", ")}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(inWords))].join(" or ");
  if (schema.$ref) return schema.$ref.split("/").at(-1)!;
  const types = [schema.type ?? "any value"].flat();
  return types.map((type) => ofType(type, schema)).join(" or ");
}

function ofType(type: string, schema: Schema): string {
  const { minimum: least, maximum: most, minLength, maxLength, maxItems, minItems } = schema;
  switch (type) {
    case "integer":
    case "number":
      return `${type === "integer" ? "whole number" : "number"}${between(least, most)}`;
    case "string":
      return `${schema.format === "binary" ? "file" : schema.format ? `text (${schema.format})` : "text"}${
        maxLength === undefined ? "" : `, ${minLength ?? 0} to ${maxLength} characters`
      }${schema.pattern ? `, matching ${schema.pattern}` : ""}`;
    case "array":
      return `list of ${schema.items ? inWords(schema.items) : "values"}${
        maxItems === undefined ? "" : `, ${minItems ?? 0} to ${maxItems}`
      }`;
    default:
      return type;
  }
}

function between(least?: number, most?: number): string {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (least !== undefined) return `, ${least} or more`;
  return most === undefined ? "" : `, at most ${most}`;
}

export interface Field {
  /** `items[].id` */
  path: string;
  is: string;
  isNeeded: boolean;
  description: string;
}

/** Answers nest deep, and whoever needs more has `/openapi.json`. */
const DEPTH = 3;

/** Every field of an object with those in it, in the order of the schema. */
export function fieldsOf(schema: Schema, prefix = "", depth = 0): Field[] {
  const objects = (schema.anyOf ?? schema.allOf ?? [schema]).flatMap(
    (one) => one.allOf ?? one.anyOf ?? [one],
  );
  return objects.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([name, inner]): Field[] => {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      const inside = insideOf(inner);
      const below =
        inside && depth + 1 < DEPTH ? fieldsOf(inside.schema, path + inside.suffix, depth + 1) : [];
      return [
        {
          path,
          is: inside ? inside.word : inWords(inner),
          isNeeded: required.includes(name),
          description: inner.description ?? inner.anyOf?.find((one) => one.description)?.description ?? "",
        },
        ...below,
      ];
    }),
  );
}

/** What fields lie in: an object, a list of objects, or either or null. */
function insideOf(schema: Schema): { schema: Schema; suffix: string; word: string } | null {
  const members = schema.anyOf ?? [schema];
  const orNull = members.some(({ type }) => type === "null") ? " or null" : "";
  const object = members.find(({ properties, allOf }) => properties ?? allOf);
  if (object) return { schema: object, suffix: "", word: `object${orNull}` };
  const items = members.find(({ type, items: one }) => type === "array" && one)?.items;
  if (items && insideOf(items)?.suffix === "")
    return { schema: items, suffix: "[]", word: `list of objects${orNull}` };
  return null;
}

/** A value that fits a schema, with what must be there. */
export function sampleOf(schema: Schema, name = ""): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (schema.enum) return schema.enum[0];
  const member = schema.anyOf?.find(({ type }) => type !== "null");
  if (member) return sampleOf(member, name);
  switch ([schema.type].flat()[0]) {
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "array":
      return (schema.minItems ?? 1) > 0 && schema.items ? [sampleOf(schema.items, name)] : [];
    case "string":
      return sampleText(schema, name);
    case "null":
      return null;
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((one) => [one, sampleOf(schema.properties?.[one] ?? {}, one)]),
      );
  }
}

const TEXTS: [RegExp, string][] = [
  [/slug/, "checkout"],
  [/sha256/, "0".repeat(64)],
  [/sha|commit/, "4f2a9c1e8b7d6053a1c2e4f60718293a4b5c6d7e"],
  [/_at$|since|until|after|before|time/, "2026-03-01T12:00:00.000Z"],
  [/url|origin/, "https://shop.example"],
  [/^region$/, "us-east-1"],
];

function sampleText({ format, pattern, minLength = 0 }: Schema, name: string): string {
  if (format === "uuid") return "0192f0c1-0000-7000-8000-000000000000";
  if (format === "date-time") return "2026-03-01T12:00:00.000Z";
  const fits = (text: string) => text.length >= minLength && (!pattern || new RegExp(pattern).test(text));
  const known = TEXTS.filter(([about]) => about.test(name)).map(([, text]) => text);
  const some = [
    ...known,
    "checkout",
    "a name",
    "1",
    "0".repeat(64),
    "0192f0c1-0000-7000-8000-000000000000",
    "7Kd2mQx9PbTz",
  ];
  return some.find(fits) ?? "";
}
