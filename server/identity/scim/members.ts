import { refused } from "./errors.ts";
import { compileWithin, type Json } from "./evaluate.ts";
import { type Filter, parsePath } from "./filter.ts";
import { normalizeValue } from "./normalize.ts";
import type { Change } from "./patch.ts";
import type { Attribute, Shape } from "./shape.ts";

/** Changes of one request that look through all members of a group. */
const MOST_FILTERS = 20;

/** A member as a filter of a path meets it. */
export interface ShownMember {
  value: string;
  display: string;
}

/**
 * The ids of the users that a list of members names.
 * @throws AppError 400 `invalidValue`, in words for a group as a member
 */
export function readMembers(shape: Shape, given: unknown): string[] {
  const members = (normalizeValue(attributeOf(shape), given, "members") ?? []) as Json[];
  return members.map(({ value, type, $ref }) => {
    const isGroup = String(type).toLowerCase() === "group" || /\/Groups\//i.test(String($ref ?? ""));
    if (isGroup) throw nested();
    if (typeof value !== "string")
      throw refused("invalidValue", 'Each of "members" needs a "value": the id of a user.');
    return value;
  });
}

export const nested = () =>
  refused(
    "invalidValue",
    "A group cannot be a member of a group here: send the users of the inner group as members of the outer one.",
  );

/** Whether a change is one of the members. */
export function isOfMembers({ path }: Change): boolean {
  return /^(urn:ietf:params:scim:schemas:core:2\.0:group:)?members\b/i.test(path);
}

/**
 * Changes of the members, one after the other, on a set of users' ids.
 * @param show the members at that moment as filters meet them; asked for only where a filter says more than one `value`
 * @throws AppError 400 `invalidPath`, `invalidValue`, `noTarget`
 */
export async function applyMemberChanges(
  shape: Shape,
  members: Set<string>,
  changes: readonly Change[],
  show: (ids: ReadonlySet<string>) => Promise<ShownMember[]>,
): Promise<void> {
  let asked = 0;
  const showSome = (ids: ReadonlySet<string>) => {
    asked += 1;
    if (asked > MOST_FILTERS)
      throw refused(
        "invalidValue",
        `At most ${MOST_FILTERS} changes of one request may choose members by more than one "value": name their ids.`,
      );
    return show(ids);
  };
  for (const { op, path, value } of changes) {
    const { filter, sub, path: name } = parsePath(path);
    if (sub !== null || name.includes("."))
      throw refused("mutability", "What is said of a member cannot be changed: remove it, and add another.");
    if (filter) {
      const meant = await chosen(shape, members, filter, showSome);
      if (op !== "remove" && meant.length === 0)
        throw refused("noTarget", `"${path}" meets no member of the group.`);
      if (op !== "add") for (const id of meant) members.delete(id);
      if (op === "replace") for (const id of readMembers(shape, value)) members.add(id);
      continue;
    }
    if (op === "replace" || (op === "remove" && value === undefined)) members.clear();
    for (const id of value === undefined ? [] : readMembers(shape, value))
      if (op === "remove") members.delete(id);
      else members.add(id);
  }
}

async function chosen(
  shape: Shape,
  members: ReadonlySet<string>,
  filter: Filter,
  show: (ids: ReadonlySet<string>) => Promise<ShownMember[]>,
): Promise<string[]> {
  const isMeant = compileWithin(filter, attributeOf(shape));
  // What directories send: one change for each of many members.
  if (filter.op === "eq" && filter.path.toLowerCase() === "value") {
    const id = String(filter.value);
    return members.has(id) ? [id] : [];
  }
  return (await show(members)).filter(isMeant).map(({ value }) => value);
}

const attributeOf = (shape: Shape): Attribute => shape.attributes.get("members")!;
