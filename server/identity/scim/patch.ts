import { refused } from "./errors.ts";
import { compileWithin, type Json } from "./evaluate.ts";
import { type Filter, parsePath } from "./filter.ts";
import { normalize, normalizeValue, requireSchema } from "./normalize.ts";
import { type Attribute, findAttribute, findWithin, type Shape } from "./shape.ts";

export const PATCH_URN = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const MAX_OPERATIONS = 10_000;
/** Values of one attribute of a user. */
const MAX_VALUES = 1_000;
/** Values that the changes of one request look through in all: each looks through those of its attribute. */
const MAX_LOOKED = 200_000;
/** What a name of an attribute begins with; what begins otherwise is none. */
const ATTRIBUTE = /^[A-Za-z$][\w$.:-]*(\[|$)/;

/** One change of PATCH (RFC 7644, section 3.5.2). */
export interface Change {
  op: "add" | "remove" | "replace";
  path: string;
  value: unknown;
  /** Whether it came without a path, as one of an object's names: then what a directory may not say is passed over. */
  isPassing: boolean;
}

/**
 * The changes that a body asks for. An object without a path is one change for each of its names, as directories mean it.
 * @throws AppError 400 `invalidSyntax`, `invalidValue`, `noTarget`
 */
export function readChanges(body: unknown): Change[] {
  const message = requireSchema(body, PATCH_URN);
  const operations = message.Operations ?? message.operations;
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS)
    throw refused("invalidSyntax", `"Operations" must be a list of 1 to ${MAX_OPERATIONS} changes.`);
  return operations.flatMap((operation, at) => readChange(operation, `Operations[${at}]`));
}

function readChange(given: unknown, where: string): Change[] {
  if (typeof given !== "object" || given === null)
    throw refused("invalidSyntax", `"${where}" must be an object.`);
  const { op, path, value } = given as Json;
  const name = typeof op === "string" ? op.toLowerCase() : "";
  if (name !== "add" && name !== "remove" && name !== "replace")
    throw refused("invalidSyntax", `"${where}.op" must be add, remove or replace.`);
  const isWhole = path === undefined || path === null || path === "";
  if (!isWhole && typeof path !== "string") throw refused("invalidPath", `"${where}.path" must be text.`);
  if (name === "remove" && isWhole) throw refused("noTarget", `"${where}" removes, and needs a path.`);
  if (name !== "remove" && value === undefined) throw refused("invalidValue", `"${where}.value" is missing.`);
  if (!isWhole) return [{ op: name, path: path as string, value, isPassing: false }];
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused("invalidValue", `"${where}.value" must be an object, since there is no path.`);
  return Object.entries(value)
    .filter(([path]) => ATTRIBUTE.test(path))
    .map(([path, value]) => ({ op: name, path, value, isPassing: true }));
}

/**
 * What becomes of a resource by these changes, one after the other; the resource itself stays as it is.
 * @throws AppError 400 `invalidPath`, `invalidValue`, `mutability`, `noTarget`
 */
export function applyChanges(shape: Shape, resource: Json, changes: readonly Change[]): Json {
  const changed = structuredClone(resource);
  let looked = 0;
  for (const change of changes) {
    looked += apply(shape, changed, change);
    if (looked > MAX_LOOKED)
      throw refused(
        "invalidValue",
        `These changes look through more than ${MAX_LOOKED} values: send fewer changes at once.`,
      );
  }
  return normalize(shape, changed);
}

/** @returns how many values were looked through */
function apply(shape: Shape, resource: Json, { op, path, value, isPassing }: Change): number {
  const { path: name, filter, sub } = parsePath(path);
  const found = findAttribute(shape, name);
  if (!found && isPassing) return 0;
  if (!found) throw refused("invalidPath", `No schema has the attribute "${name}".`);
  const target = found.at(-1)!;
  const part = sub === null ? null : findWithin(target, sub);
  if (sub !== null && part?.length !== 1) throw refused("invalidPath", `"${name}" has no part "${sub}".`);
  const fixed = [...found, ...(part ?? [])].find(({ mutability }) => mutability === "readOnly");
  if (fixed && !isPassing) throw refused("mutability", `"${fixed.name}" cannot be changed by a directory.`);
  if (fixed || target.mutability === "writeOnly") return 0;
  let looked = 0;
  const parents = parentsOf(resource, found.slice(0, -1), op);
  for (const parent of parents) {
    const before = asList(parent[target.name]);
    const primaries = primariesOf(before);
    if (filter) changeSome(parent, target, { op, filter, part: part?.[0] ?? null, value, path: path! });
    else changeWhole(parent, target, op, value, name);
    const after = asList(parent[target.name]);
    if (after.length > MAX_VALUES)
      throw refused("invalidValue", `"${name}" may have at most ${MAX_VALUES} values.`);
    looked += before.length + after.length;
    keepOnePrimary(after, primaries);
  }
  return looked;
}

/** The objects that have the attribute, which are made where something is put. */
function parentsOf(resource: Json, found: readonly Attribute[], op: Change["op"]): Json[] {
  let parents = [resource];
  for (const attribute of found)
    parents = parents.flatMap((parent) => {
      if (parent[attribute.name] === undefined && op !== "remove")
        parent[attribute.name] = attribute.multiValued ? [{}] : {};
      return asList(parent[attribute.name]) as Json[];
    });
  return parents;
}

function changeWhole(parent: Json, target: Attribute, op: Change["op"], value: unknown, path: string): void {
  const { name } = target;
  const given = op === "remove" && value === undefined ? undefined : normalizeValue(target, value, path);
  if (op === "remove") {
    const kept = target.multiValued && Array.isArray(given) ? without(asList(parent[name]), given) : [];
    if (kept.length > 0) parent[name] = kept;
    else delete parent[name];
    return;
  }
  if (given === undefined) {
    if (op === "replace") delete parent[name];
    return;
  }
  if (target.multiValued && op === "add") {
    const there = asList(parent[name]);
    const known = new Set(there.map(textOf));
    parent[name] = [...there, ...asList(given).filter((one) => !known.has(textOf(one)))];
  } else if (target.type === "complex" && !target.multiValued)
    parent[name] = { ...(parent[name] as Json | undefined), ...(given as Json) };
  else parent[name] = given;
}

interface SomeChange {
  op: Change["op"];
  filter: Filter;
  part: Attribute | null;
  value: unknown;
  path: string;
}

function changeSome(parent: Json, target: Attribute, change: SomeChange): void {
  const { op, filter, part, path } = change;
  if (target.type !== "complex" || !target.multiValued)
    throw refused("invalidPath", `"${target.name}" has no values to choose from.`);
  const isMeant = compileWithin(filter, target);
  const there = asList(parent[target.name]);
  const meant = new Set(there.filter(isMeant) as Json[]);
  if (op === "remove") {
    if (part) for (const one of meant) delete one[part.name];
    const kept = part ? there : there.filter((one) => !meant.has(one as Json));
    if (kept.length > 0) parent[target.name] = kept;
    else delete parent[target.name];
    return;
  }
  const given = normalizeValue(part ?? { ...target, multiValued: false }, change.value, path);
  const put = (one: Json): Json => {
    if (part) return { ...one, [part.name]: given };
    return op === "replace" ? { ...(given as Json) } : { ...one, ...(given as Json) };
  };
  if (meant.size > 0) {
    parent[target.name] = there.map((one) => (meant.has(one as Json) ? put(one as Json) : one));
    return;
  }
  // Entra replaces `emails[type eq "work"].value` where there is none yet, and means that there be one.
  const made = op === "add" || part ? impliedBy(filter, target) : null;
  if (!made) throw refused("noTarget", `"${path}" meets no value of "${target.name}".`);
  parent[target.name] = [...there, put(made)];
}

/** What a value must be so that it meets a filter that says `eq` of its parts; null for other filters, or when it says which `value`. */
function impliedBy(filter: Filter, target: Attribute): Json | null {
  const made: Json = {};
  for (const one of filter.op === "and" ? filter.of : [filter]) {
    const attribute = one.op === "eq" ? findWithin(target, one.path) : null;
    if (one.op !== "eq" || attribute?.length !== 1 || attribute[0]!.name === "value") return null;
    made[attribute[0]!.name] = normalizeValue(attribute[0]!, one.value, one.path);
  }
  return made;
}

const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** The same text for equal values, in whatever order their parts stand. */
function textOf(value: unknown): string {
  const sorted = (_: string, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return JSON.stringify(value, sorted);
}

/** What stays of values. One is named by its `value`, and by its type where that is named too; by all of it when it has no `value`. */
function without(values: readonly unknown[], named: readonly unknown[]): unknown[] {
  const keyOf = (one: unknown, isTyped: boolean) => {
    const { value, type } = one as Json;
    return value === undefined
      ? textOf(one)
      : textOf(isTyped && type !== undefined ? { value, type } : { value });
  };
  const gone = new Set(named.map((one) => keyOf(one, true)));
  return values.filter((one) => !gone.has(keyOf(one, true)) && !gone.has(keyOf(one, false)));
}

const primariesOf = (value: unknown): Json[] =>
  asList(value).filter((one): one is Json => (one as Json | null)?.primary === true);

/** A value that has become the primary one takes the place of the one before (RFC 7644, section 3.5.2). */
function keepOnePrimary(value: unknown, before: readonly Json[]): void {
  const now = primariesOf(value);
  const known = new Set(before);
  if (now.length < 2 || !now.some((one) => !known.has(one))) return;
  for (const one of before) one.primary = false;
}
