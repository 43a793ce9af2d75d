/** What the API says of itself, as far as a hostile client reads it. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  minimum?: number;
  minItems?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  schema: Schema;
}
export interface Operation {
  operationId: string;
  method: string;
  path: string;
  parameters: Parameter[];
  security: Record<string, string[]>[];
  body: { type: string; schema: Schema } | null;
}

interface Description {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters?: Parameter[];
        security?: Record<string, string[]>[];
        requestBody?: { content: Record<string, { schema?: Schema }> };
      }
    >
  >;
}

/** Every operation of a served `/openapi.json`. */
export function operationsOf(description: unknown): Operation[] {
  const { paths } = description as Description;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        security: operation.security ?? [],
        body: type ? { type, schema: content?.schema ?? {} } : null,
      };
    }),
  );
}

/** A value that fits a schema. `known` has those of names whose values must be of this server. */
export function sampleOf(schema: Schema, known: Record<string, unknown>, name = ""): unknown {
  if (name in known) return known[name];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== "null");
  if (choice) return sampleOf(choice, known, name);
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  if (type === "object" || schema.properties) {
    const names = schema.required ?? [];
    return Object.fromEntries(
      names.map((one) => [one, sampleOf(schema.properties?.[one] ?? {}, known, one)]),
    );
  }
  if (type === "array") {
    const count = schema.minItems ?? (schema.items ? 1 : 0);
    return Array.from({ length: count }, () => sampleOf(schema.items ?? {}, known));
  }
  if (type === "integer" || type === "number") return Math.max(1, schema.minimum ?? 1);
  if (type === "boolean") return true;
  if (schema.format === "uuid") return known.id;
  return "a".repeat(Math.max(1, schema.minLength ?? 1));
}

/** Where in a body fields are, those in lists by their first element. */
export function fieldsOf(schema: Schema, path: (string | number)[] = []): (string | number)[][] {
  if (path.length > 6) return [];
  const all = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return all.flatMap((one) => [
    ...Object.entries(one.properties ?? {}).flatMap(([name, member]) => [
      [...path, name],
      ...fieldsOf(member, [...path, name]),
    ]),
    ...(one.items ? [[...path, 0], ...fieldsOf(one.items, [...path, 0])] : []),
  ]);
}

/** A copy with another value at a place; what lies on the way there is made. */
export function withField(body: unknown, [name, ...rest]: (string | number)[], value: unknown): unknown {
  if (name === undefined) return value;
  const own = typeof name === "number" ? [] : {};
  const copy = (typeof body === "object" && body !== null ? structuredClone(body) : own) as Record<
    string,
    unknown
  >;
  copy[name] = withField(copy[name], rest, value);
  return copy;
}
