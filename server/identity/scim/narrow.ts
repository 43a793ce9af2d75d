import type { ScimColumn, ScimCondition } from "../../../store/records/scim-conditions.ts";
import { fromIso } from "../../platform/clock.ts";
import { fold, toBoolean, withValue } from "./evaluate.ts";
import type { Filter } from "./filter.ts";
import { findAttribute, type Shape } from "./shape.ts";

/** What the records can say of a filter. */
export interface Narrowed {
  /** Holds for every row that the filter takes; null for all. */
  condition: ScimCondition | null;
  /** Whether it holds for no other row. */
  isExact: boolean;
}

type Kind = "text" | "exact" | "flag" | "time";
const COLUMNS: Record<string, { column: ScimColumn; kind: Kind }> = {
  id: { column: "id", kind: "exact" },
  externalId: { column: "external_id", kind: "exact" },
  userName: { column: "user_name_key", kind: "text" },
  active: { column: "active", kind: "flag" },
  "meta.created": { column: "created_at", kind: "time" },
  "meta.lastModified": { column: "updated_at", kind: "time" },
};
const GROUP_COLUMNS: typeof COLUMNS = { ...COLUMNS, displayName: { column: "name_key", kind: "text" } };
const NOTHING: Narrowed = { condition: null, isExact: false };
/** These are not in the column of what the directory says. */
const ELSEWHERE = new Set(["schemas", "id", "meta", "groups", "members"]);

/** The part of a filter that the records answer themselves. */
export function narrow(filter: Filter, shape: Shape): Narrowed {
  switch (filter.op) {
    case "and": {
      const parts = filter.of.map((one) => narrow(one, shape));
      const all = parts.flatMap(({ condition }) => condition ?? []);
      return { condition: all.length > 0 ? { all } : null, isExact: parts.every(({ isExact }) => isExact) };
    }
    case "or": {
      const parts = filter.of.map((one) => narrow(one, shape));
      const any = parts.flatMap(({ condition }) => condition ?? []);
      if (any.length < parts.length) return NOTHING;
      return { condition: { any }, isExact: parts.every(({ isExact }) => isExact) };
    }
    case "not": {
      const { condition, isExact } = narrow(filter.of, shape);
      return condition && isExact ? { condition: { not: condition }, isExact } : NOTHING;
    }
    case "[]":
      return within(filter.path, filter.of, shape);
    default:
      return one(filter, shape);
  }
}

type Comparison = Extract<Filter, { path: string }>;

function one(filter: Comparison, shape: Shape): Narrowed {
  const found =
    filter.op === "pr" ? findAttribute(shape, filter.path) : withValue(findAttribute(shape, filter.path));
  if (!found) return NOTHING;
  const name = found.map((attribute) => attribute.name).join(".");
  const known = (shape.type === "User" ? COLUMNS : GROUP_COLUMNS)[name];
  if (known) return ofColumn(filter, known);
  if (shape.type === "Group" && name === "members.value") return ofMember(filter);
  return ELSEWHERE.has(found[0]!.name) ? NOTHING : ofText(filter);
}

function ofColumn(filter: Comparison, { column, kind }: { column: ScimColumn; kind: Kind }): Narrowed {
  if (filter.op === "[]") return NOTHING;
  if (filter.op === "pr") return exactly({ column, op: "pr" });
  const { op, value } = filter;
  const isText = op === "co" || op === "sw" || op === "ew";
  if (kind === "flag") {
    const flag = toBoolean(value);
    return flag === null || (op !== "eq" && op !== "ne")
      ? NOTHING
      : exactly({ column, op, value: Number(flag) });
  }
  if (typeof value !== "string") return NOTHING;
  if (kind === "time") {
    const at = fromIso(value);
    return at === null || isText ? NOTHING : exactly({ column, op, value: at });
  }
  if (op === "eq" || op === "ne")
    return exactly({ column, op, value: kind === "text" ? fold(value) : value });
  return isText && kind === "text" ? exactly({ column, op, value: fold(value) }) : NOTHING;
}

function ofMember(filter: Comparison): Narrowed {
  return filter.op === "eq" && typeof filter.value === "string"
    ? exactly({ hasMember: filter.value })
    : NOTHING;
}

/** Text that an attribute is to have stands somewhere in what the directory says. */
function ofText(filter: Comparison): Narrowed {
  if (filter.op !== "eq" && filter.op !== "co" && filter.op !== "sw" && filter.op !== "ew") return NOTHING;
  if (typeof filter.value !== "string" || filter.value === "" || toBoolean(filter.value) !== null)
    return NOTHING;
  const text = fold(JSON.stringify(filter.value).slice(1, -1));
  return { condition: { column: "folded", op: "co", value: text }, isExact: false };
}

function within(path: string, filter: Filter, shape: Shape): Narrowed {
  if (filter.op === "and") {
    const all = filter.of.flatMap((part) => within(path, part, shape).condition ?? []);
    return { condition: all.length > 0 ? { all } : null, isExact: false };
  }
  if (!("path" in filter) || filter.op === "[]") return NOTHING;
  const { condition, isExact } = one({ ...filter, path: `${path}.${filter.path}` }, shape);
  return { condition, isExact: isExact && path.toLowerCase() === "members" };
}

const exactly = (condition: ScimCondition): Narrowed => ({ condition, isExact: true });
