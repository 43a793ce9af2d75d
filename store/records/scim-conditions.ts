import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "./schema.ts";

/** Columns by which users and groups of a directory are chosen. */
export type ScimColumn =
  | "id"
  | "external_id"
  | "user_name_key"
  | "name_key"
  | "folded"
  | "active"
  | "created_at"
  | "updated_at";

/** Which rows are meant. A column without a value meets no comparison. `co`, `sw` and `ew` are of lower-case columns. */
export type ScimCondition =
  | { all: ScimCondition[] }
  | { any: ScimCondition[] }
  | { not: ScimCondition }
  | { column: ScimColumn; op: "pr" }
  | { column: ScimColumn; op: "eq" | "ne" | "gt" | "ge" | "lt" | "le"; value: string | number }
  | { column: ScimColumn; op: "co" | "sw" | "ew"; value: string }
  /** Groups that one of these users is in. */
  | { hasMember: string };

type Table = "scim_users" | "scim_groups";
const SIGNS = { eq: "=", ne: "<>", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;
/** The columns of which a row may have none. */
const NULLABLE: ReadonlySet<ScimColumn> = new Set(["external_id"]);

/** The condition in SQL that both engines read alike. */
export function inSql(eb: ExpressionBuilder<Database, Table>, condition: ScimCondition): Expression<SqlBool> {
  if ("all" in condition) return eb.and(condition.all.map((one) => inSql(eb, one)));
  if ("any" in condition) return eb.or(condition.any.map((one) => inSql(eb, one)));
  if ("not" in condition) return eb.not(inSql(eb, condition.not));
  if ("hasMember" in condition)
    return eb.exists(
      eb
        .selectFrom("scim_members")
        .select("scim_members.group_id")
        .whereRef("scim_members.group_id", "=", "scim_groups.id" as never)
        .where("scim_members.scim_user_id", "=", condition.hasMember),
    );
  const column = condition.column as "id";
  const isThere = NULLABLE.has(condition.column) ? eb(column, "is not", null) : null;
  if (condition.op === "pr") return isThere ?? eb.lit(true);
  const compared = comparison(eb, condition);
  // A comparison with nothing is neither true nor false in SQL, and `not` would leave it so.
  return isThere ? eb.and([isThere, compared]) : compared;
}

function comparison(
  eb: ExpressionBuilder<Database, Table>,
  condition: Exclude<Extract<ScimCondition, { column: ScimColumn }>, { op: "pr" }>,
): Expression<SqlBool> {
  const { column: name, op, value } = condition;
  const column = name as "id";
  if (op !== "co" && op !== "sw" && op !== "ew") return eb(column, SIGNS[op], value as string);
  const text = value.replace(/[\\%_]/g, "\\$&");
  const pattern = `${op === "sw" ? "" : "%"}${text}${op === "ew" ? "" : "%"}`;
  return sql<SqlBool>`${eb.ref(column)} like ${pattern} escape '\\'`;
}
