import { sql } from "kysely";
import type { JsonRules } from "../types.ts";

export const json: JsonRules = {
  field: (column, name) => sql`json_extract(${sql.ref(column)}, ${`$.${name}`})`,
};
