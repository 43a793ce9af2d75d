import { sql } from "kysely";
import type { JsonRules } from "../types.ts";

export const json: JsonRules = {
  field: (column, name) => sql`json_extract(${sql.ref(column)}, ${`$.${name}`})`,
  given: (list) => sql`json_each(${list}) AS given`,
  textAt: (place) => sql`given.value ->> ${sql.lit(place)}`,
  numberAt: (place) => sql`given.value ->> ${sql.lit(place)}`,
};
