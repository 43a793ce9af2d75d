import type { Dialect, DialectAdapter } from "kysely";
import type { Db } from "../db.ts";
import type { Engine, SqlText } from "./types.ts";

interface EngineAdapter extends DialectAdapter {
  engine: Engine;
}

/** A dialect whose records, and every transaction on them, know their engine. */
export function withEngine(dialect: Dialect, engine: Engine): Dialect {
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createAdapter: (): EngineAdapter => Object.assign(dialect.createAdapter(), { engine }),
  };
}

/** The engine that keeps these records. */
export function engineOf(db: Db): Engine {
  return (db.getExecutor().adapter as EngineAdapter).engine;
}

/** The places of values in a statement that is kept as text, for `IN (…)`. */
export const marksFor = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/** The rows of a statement that is kept as text. */
export async function rowsOf<Row>(db: Db, text: SqlText): Promise<Row[]> {
  return (await db.executeQuery(engineOf(db).statement(text))).rows as Row[];
}
