import type { TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { describeSchema } from "../../store/describe-schema.ts";
import { type AppError, invalid } from "./errors.ts";

/** What a message calls the parts of a request. */
const WHERE: Record<string, string> = {
  query: "The query parameter",
  body: "The body's field",
  params: "The path parameter",
  headers: "The header",
  cookie: "The cookie",
};

/**
 * Says what is wrong with a part of a request, where, and what would be right; never what was sent.
 * @param part `query`, `body`, `params`, `headers` or `cookie`
 */
export function describeProblem(part: string, problem: ValueError | undefined): AppError {
  const { type, path = "", schema, value } = problem ?? {};
  const name = printable(path.slice(1).replaceAll("/", "."));
  const right = schema ? describeSchema(schema) : "valid";
  const where = WHERE[part] ?? `The ${part}`;
  if (path === "") return invalid(`${part === "body" ? "The body" : where} must be ${right}.`);
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return invalid(`${where} "${name}" is not known; there are ${namesIn(schema!)}.`);
  if (value === undefined) return invalid(`${where} "${name}" is missing.`);
  if (schema && "not" in schema) return invalid(`${where} "${name}" is not known here.`);
  return invalid(`${where} "${name}" must be ${right}.`);
}

/**
 * A check of JSON bodies: whole, before Elysia sees them. That drops fields which it does not know and takes what is no
 * object for an empty one; who wrote `base_url` for `baseUrl` would get something else than was meant.
 * @returns a function that throws AppError `invalid_request` naming the field
 */
export function createBodyCheck(schema: TSchema): (body: unknown) => void {
  const closed = closeSchema(schema);
  return (body) => {
    const problem = mostTelling(Value.Errors(closed, body));
    if (problem) throw describeProblem("body", problem);
  };
}

/** The first problem of a value with a schema, in words. `part` as for `describeProblem`. @throws AppError `invalid_request` */
export function requireValue(part: string, schema: TSchema, value: unknown): void {
  const problem = mostTelling(Value.Errors(schema, value));
  if (problem) throw describeProblem(part, problem);
}

/** The same schema, in which no object takes other fields than it names unless it says so. */
export function closeSchema<Schema extends object>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map((member) => closeMember(member)) as unknown as Schema;
  // The spread keeps the symbols by which TypeBox knows its own.
  const copy = { ...schema } as Record<string, unknown>;
  if ("allOf" in copy)
    throw new Error(
      "A body's objects are put together with Type.Composite: parts cannot be closed one by one.",
    );
  for (const key of ["items", "anyOf", "additionalProperties"]) copy[key] = closeMember(copy[key]);
  for (const key of ["properties", "patternProperties"]) copy[key] = closeEach(copy[key]);
  for (const key of Object.keys(copy)) if (copy[key] === undefined) delete copy[key];
  if ([copy.type].flat().includes("object") && copy.properties && !copy.patternProperties)
    copy.additionalProperties ??= false;
  return copy as Schema;
}

function closeMember(member: unknown): unknown {
  return typeof member === "object" && member !== null ? closeSchema(member) : member;
}

function closeEach(members: unknown): unknown {
  if (typeof members !== "object" || members === null) return members;
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, closeMember(member)]));
}

/** Problems that are looked at: a list may have one in each of its members. */
const MOST_PROBLEMS = 1000;

/** The first field that is not known, else the first problem: a mistyped field says more than that the right one is missing. */
function mostTelling(problems: Iterable<ValueError>): ValueError | null {
  let first: ValueError | null = null;
  let seen = 0;
  for (const problem of problems) {
    const inner = innermost(problem);
    if (inner.type === ValueErrorType.ObjectAdditionalProperties) return inner;
    first ??= inner;
    if (++seen === MOST_PROBLEMS) break;
  }
  return first;
}

/** A choice between shapes reports only itself; what is wrong within the shape that was meant says more. */
function innermost(problem: ValueError): ValueError {
  if (problem.type !== ValueErrorType.Union) return problem;
  const within = problem.errors
    .flatMap((errors) => [...errors])
    .filter((error) => error.path.length > problem.path.length);
  return mostTelling(within) ?? problem;
}

function namesIn(schema: TSchema): string {
  const names = Object.keys((schema as { properties?: object }).properties ?? {});
  return names.length > 0 ? names.join(", ") : "none";
}

/** Names come from the client when they are those of unknown fields. */
function printable(name: string): string {
  return name.replace(/[^\w.-]/g, "?").slice(0, 64);
}
