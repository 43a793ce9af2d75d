import { CompiledQuery } from "kysely";
import type { Store } from "../../store/store.ts";

let count = 0;

/** The rows of a statement with `?` for parameters, on the connection of the store itself. */
export async function statement<Row = Record<string, unknown>>(
  { records }: Pick<Store, "records">,
  sql: string,
  ...parameters: (string | number)[]
): Promise<Row[]> {
  // Statements are kept prepared, and SQLite does what some pragmas say only when it prepares them.
  const once = `${sql} /* ${count++} */`;
  return (await records.executeQuery<Row>(CompiledQuery.raw(once, parameters))).rows;
}
