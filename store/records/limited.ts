import { type Insertable, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { Database } from "./schema.ts";

type Row<Table extends keyof Database> = { [Name in keyof Insertable<Database[Table]>]: unknown };

/**
 * Inserts a row of an org while the org has fewer than `most` in the table. The count is part of the insert, so that of two
 * who come at once for the last place one gets it.
 * @param among which rows of the org are counted; without it, all
 * @param besides when the row goes in all the same, since it takes another's place
 * @param onConflict SQL of both engines
 * @returns whether a row was written
 */
export async function insertLimited<Table extends keyof Database>(
  db: Db,
  table: Table,
  row: Row<Table> & { org_id: string },
  {
    most,
    among,
    besides,
    onConflict,
  }: {
    most: number;
    among?: RawBuilder<SqlBool>;
    besides?: RawBuilder<SqlBool>;
    onConflict: RawBuilder<unknown>;
  },
): Promise<boolean> {
  await engineOf(db).alone(db, `${table} of ${row.org_id}`);
  const names = Object.keys(row).map((name) => sql.ref(name));
  const hasRoom = sql<SqlBool>`(select count(*) from ${sql.table(table)} where org_id = ${row.org_id} ${among ? sql`and ${among}` : sql``}) < ${most}`;
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (${sql.join(names)}) select ${sql.join(Object.values(row))}
    where ${besides ? sql`${hasRoom} or ${besides}` : hasRoom} ${onConflict}`.execute(db);
  return Boolean(numAffectedRows);
}
