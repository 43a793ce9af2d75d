import { fromIso } from "../../platform/clock.ts";
import { refused } from "./errors.ts";
import type { Comparator, Filter } from "./filter.ts";
import { type Attribute, type Found, findAttribute, findWithin, type Shape } from "./shape.ts";

export type Json = Record<string, unknown>;
type Test = (resource: unknown) => boolean;
type Value = string | number | boolean | null;

/** In which way text is alike whose case does not matter. */
export const fold = (text: string): string => text.toLowerCase();

/**
 * A filter as a function of a resource. An attribute that no schema has has no value. One that is many is met by any of its
 * values, and one of parts by its `value`.
 * @throws AppError 400 `invalidFilter` for a comparison that there is not of the attribute
 */
export function compileFilter(filter: Filter, shape: Shape): Test {
  return compile(filter, (path) => findAttribute(shape, path));
}

/** The same of one value of a complex attribute. */
export const compileWithin = (filter: Filter, attribute: Attribute): Test =>
  compile(filter, (path) => findWithin(attribute, path));

function compile(filter: Filter, find: (path: string) => Found | null): Test {
  switch (filter.op) {
    case "and": {
      const tests = filter.of.map((one) => compile(one, find));
      return (resource) => tests.every((test) => test(resource));
    }
    case "or": {
      const tests = filter.of.map((one) => compile(one, find));
      return (resource) => tests.some((test) => test(resource));
    }
    case "not": {
      const test = compile(filter.of, find);
      return (resource) => !test(resource);
    }
    case "[]": {
      const found = find(filter.path);
      if (!found) return () => false;
      const test = compileWithin(filter.of, found.at(-1)!);
      return (resource) => valuesAt(resource, found).some(test);
    }
    case "pr": {
      const found = find(filter.path);
      return (resource) => found !== null && valuesAt(resource, found).some(isAssigned);
    }
    default: {
      const found = withValue(find(filter.path));
      if (!found) return () => false;
      const { op, value } = filter;
      if (value === null) {
        if (op !== "eq" && op !== "ne")
          throw refused("invalidFilter", `The operator ${op} does not go with null in the filter.`);
        return (resource) => valuesAt(resource, found).some(isAssigned) === (op === "ne");
      }
      const meets = comparison(op, found.at(-1)!, value);
      return (resource) => valuesAt(resource, found).some(meets);
    }
  }
}

/** An attribute of parts is compared by its part `value`. */
export function withValue(found: Found | null): Found | null {
  const last = found?.at(-1);
  const value = last?.type === "complex" ? last.sub.get("value") : undefined;
  return found && value ? [...found, value] : found;
}

/** All values that a resource has at an attribute. */
export function valuesAt(resource: unknown, found: Found): unknown[] {
  let values: unknown[] = [resource];
  for (const { name } of found)
    values = values.flatMap((value) => {
      const inner = typeof value === "object" && value !== null ? (value as Json)[name] : undefined;
      return inner === undefined || inner === null ? [] : inner;
    });
  return values;
}

function isAssigned(value: unknown): boolean {
  if (value === "" || value === null || value === undefined) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function comparison(op: Comparator, attribute: Attribute, wanted: Exclude<Value, null>): Test {
  const { type, name } = attribute;
  const isOrder = op === "gt" || op === "ge" || op === "lt" || op === "le";
  const isEquality = op === "eq" || op === "ne";
  if (type === "complex")
    throw refused("invalidFilter", `The attribute ${name} has parts: compare one of them, or use pr.`);
  if ((type === "boolean" && !isEquality) || (type === "binary" && isOrder))
    throw refused("invalidFilter", `The operator ${op} does not go with ${name}, which is ${type}.`);
  if (type === "boolean") {
    const flag = toBoolean(wanted);
    if (flag === null) throw refused("invalidFilter", `${name} is true or false.`);
    return (value) => (value === flag) === (op === "eq");
  }
  if (type === "dateTime" && (isOrder || isEquality)) {
    const at = typeof wanted === "string" ? fromIso(wanted) : null;
    if (at === null) throw refused("invalidFilter", `${name} is compared with an ISO 8601 time.`);
    return (value) => compare(op, fromIso(String(value)) ?? Number.NaN, at);
  }
  if (typeof wanted !== "string")
    return (value) => typeof value === typeof wanted && compare(op, value, wanted);
  const same = attribute.caseExact ? (text: string) => text : fold;
  const text = same(wanted);
  return (value) => typeof value === "string" && compare(op, same(value), text);
}

/** `true` and `false`, which Entra sends as the texts "True" and "False"; null for anything else. */
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  return text === "true" ? true : text === "false" ? false : null;
}

function compare(op: Comparator, value: unknown, wanted: string | number | boolean): boolean {
  const a = value as string | number;
  const b = wanted as string | number;
  switch (op) {
    case "eq":
      return a === b;
    case "ne":
      return a !== b;
    case "gt":
      return a > b;
    case "ge":
      return a >= b;
    case "lt":
      return a < b;
    case "le":
      return a <= b;
    case "co":
      return String(a).includes(String(b));
    case "sw":
      return String(a).startsWith(String(b));
    case "ew":
      return String(a).endsWith(String(b));
  }
}
