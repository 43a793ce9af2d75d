import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv, { type ValidateFunction } from "ajv";

type Json = Record<string, unknown>;
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Json;
}

/** An operation of the code host as its own description has it. */
export interface Operation {
  method: string;
  path: string;
  parameters: Record<string, string>;
  /** What is wrong with a request, in words; empty when nothing is. */
  problems(query: URLSearchParams, body: unknown): string[];
  /** An answer with every field that the description requires, those given over it. @throws Error when the two do not fit */
  answer(status: number, given: unknown): unknown;
}

const DESCRIPTION = join(
  import.meta.dir,
  "..",
  "..",
  "..",
  "fixtures",
  "code-host",
  "recorded",
  "openapi.json",
);

/** OpenAPI 3.0 says `nullable` where JSON Schema says a type. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, ...rest } = value as Json;
  const plain = Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, withNulls(one)]));
  return nullable === true ? { anyOf: [plain, { type: "null" }] } : plain;
}

/** The host sends null for the repository of a fork that was deleted, which its description does not say. */
function withForks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withForks);
  const { head, base } = (value ?? {}) as { head?: { repo?: unknown }; base?: { repo?: unknown } };
  return head?.repo === null ? { ...(value as Json), head: { ...head, repo: base?.repo } } : value;
}

const pointer = (...parts: string[]) =>
  parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Reads the description once; `find` gives the operation of a request, null for one that the host does not have. */
export function readDescription() {
  const document = withNulls(JSON.parse(readFileSync(DESCRIPTION, "utf8"))) as Json;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, coerceTypes: false });
  ajv.addSchema(document, "host");
  const compiled = new Map<string, ValidateFunction>();
  function validatorAt(at: string): ValidateFunction {
    const known = compiled.get(at) ?? ajv.compile({ $ref: `host#${at}` });
    compiled.set(at, known);
    return known;
  }
  function resolve(value: unknown): Json {
    const { $ref: ref } = value as { $ref?: string };
    if (ref === undefined) return value as Json;
    const parts = ref.slice(2).split("/");
    return resolve(parts.reduce((at, part) => at[part] as Json, document));
  }
  /** Where a value lies in the document, references followed. */
  function place(value: Json, at: string): string {
    const { $ref: ref } = value as { $ref?: string };
    return ref === undefined ? at : place(resolve({ $ref: ref }), ref.slice(1));
  }

  /** The least that a schema takes, with what is given in its place. */
  function fill(schema: Json, given: unknown): unknown {
    const whole = resolve(schema);
    const choices = (whole.anyOf ?? whole.oneOf) as Json[] | undefined;
    if (given === null) return null;
    if (choices && whole.properties === undefined) {
      if (given === undefined && choices.some((one) => one.type === "null")) return null;
      return fill(choices[0]!, given);
    }
    if (Array.isArray(whole.allOf))
      return whole.allOf.reduce((merged: unknown, one) => fill(one as Json, merged), given);
    if (whole.type === "array")
      return ((given as unknown[] | undefined) ?? []).map((one) => fill((whole.items ?? {}) as Json, one));
    if (whole.type === "object" || whole.properties !== undefined) {
      const properties = (whole.properties ?? {}) as Record<string, Json>;
      const own = { ...((given ?? {}) as Json) };
      for (const name of [...((whole.required as string[]) ?? []), ...Object.keys(own)])
        if (properties[name]) own[name] = fill(properties[name], own[name]);
      return own;
    }
    if (given !== undefined) return given;
    if (Array.isArray(whole.enum)) return whole.enum[0];
    if (whole.type === "string") return whole.format === "date-time" ? "2026-01-01T00:00:00Z" : "x";
    if (whole.type === "integer" || whole.type === "number") return 1;
    return whole.type === "boolean" ? false : {};
  }

  function operationOf(
    path: string,
    method: string,
    item: Json,
    parameters: Record<string, string>,
  ): Operation {
    const described = item[method] as Json;
    const known = ((described.parameters ?? []) as Json[]).map((one) => resolve(one) as unknown as Parameter);
    const at = pointer("paths", path, method);
    return {
      method,
      path,
      parameters,
      problems(query, body) {
        const found: string[] = [];
        const queries = known.filter((one) => one.in === "query");
        for (const [name, text] of query) {
          const parameter = queries.find((one) => one.name === name);
          if (!parameter) found.push(`the query has no "${name}"`);
          else if (!fits(resolve(parameter.schema), text))
            found.push(`"${name}" of the query is no such value`);
        }
        for (const { name, required } of queries)
          if (required && !query.has(name)) found.push(`the query lacks "${name}"`);
        for (const one of known.filter((each) => each.in === "path"))
          if (!fits(resolve(one.schema), parameters[one.name] ?? ""))
            found.push(`the path's "${one.name}" is none`);
        const content = described.requestBody as Json | undefined;
        if (!content) return body === undefined ? found : [...found, "the operation has no body"];
        const place = pointer("requestBody", "content", "application/json", "schema");
        const validate = validatorAt(`${at}${place}`);
        if (body === undefined ? content.required === true : !validate(body))
          found.push(ajv.errorsText(validate.errors, { dataVar: "body" }));
        const allowed = namesOf(resolve((content.content as Json)["application/json"]).schema as Json);
        for (const name of Object.keys((body ?? {}) as Json))
          if (!allowed.has(name)) found.push(`the body has no "${name}"`);
        return found;
      },
      answer(status, given) {
        const responses = described.responses as Record<string, Json>;
        const response = responses[String(status)];
        if (!response) throw new Error(`${method} ${path} has no answer ${status}`);
        const content = (resolve(response).content as Json | undefined)?.["application/json"] as
          | Json
          | undefined;
        if (!content) return given;
        const schema = content.schema as Json;
        const whole = fill(schema, given);
        const where = place(response, `${at}${pointer("responses", String(status))}`);
        const validate = validatorAt(`${where}${pointer("content", "application/json", "schema")}`);
        if (!validate(withForks(whole)))
          throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`);
        return whole;
      },
    };
  }

  /** The fields that a body may have, whichever of its forms it takes. */
  function namesOf(schema: Json): Set<string> {
    const whole = resolve(schema);
    const forms = [whole.anyOf, whole.oneOf, whole.allOf].flatMap((all) => (all ?? []) as Json[]);
    return new Set([
      ...Object.keys((whole.properties ?? {}) as Json),
      ...forms.flatMap((one) => [...namesOf(one)]),
    ]);
  }

  function fits(schema: Json, text: string): boolean {
    if (schema.type === "integer" && !/^-?\d+$/.test(text)) return false;
    const value =
      schema.type === "integer" ? Number(text) : schema.type === "boolean" ? text === "true" : text;
    return ajv.validate(schema, value);
  }

  const templates = Object.entries(document.paths as Record<string, Json>).map(([path, item]) => ({
    path,
    item,
    names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    // A ref and the two ends of a comparison may hold slashes.
    pattern: new RegExp(
      `^${path.replace(/\{(\w+)\}/g, (_, name) => (name === "ref" || name === "basehead" ? "(.+)" : "([^/]+)"))}$`,
    ),
  }));

  return {
    find(method: string, pathname: string): Operation | null {
      for (const { path, item, names, pattern } of templates) {
        const match = pattern.exec(pathname);
        const key = method.toLowerCase();
        if (!match || item[key] === undefined) continue;
        const values = names.map((name, i) => [name, decodeURIComponent(match[i + 1]!)]);
        return operationOf(path, key, item, Object.fromEntries(values));
      }
      return null;
    },
  };
}
