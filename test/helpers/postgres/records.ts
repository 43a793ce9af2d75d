import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { withEngine } from "../../../store/records/engine/engine-of.ts";
import type { Database } from "../../../store/records/schema.ts";
import { postgresEngine } from "./engine.ts";
import { postgresSchema } from "./schema.ts";

const NUMERIC = 1700;

/** Records in a PostgreSQL of this process, without rows. `empty` takes all rows away again. */
export async function postgresRecords() {
  // Sums of whole numbers are numerics.
  const pglite = new PGlite({ parsers: { [NUMERIC]: Number } });
  const { tables, sql } = postgresSchema();
  await pglite.exec(sql);
  const records = new Kysely<Database>({
    dialect: withEngine(new PGliteDialect({ pglite }), postgresEngine),
  });
  return {
    records,
    empty: async () => {
      // Quicker than TRUNCATE where there are few rows; those that others name go last.
      await pglite.exec(
        [
          ...tables.toReversed().map((table) => `DELETE FROM ${table}`),
          "INSERT INTO storage_totals VALUES ('', 'blobs', '', 0, 0)",
        ].join(";"),
      );
    },
    close: () => records.destroy(),
  };
}
