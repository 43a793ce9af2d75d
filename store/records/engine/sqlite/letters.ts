import { sql } from "kysely";
import type { LetterRules } from "../types.ts";

/** `lower` knows A to Z alone. */
export const letters: LetterRules = {
  contains: (column, text) => sql`instr(lower(${sql.ref(column)}), lower(${text})) > 0`,
};
