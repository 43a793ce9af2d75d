import type { Selectable } from "kysely";
import type { Db } from "./db.ts";
import { marksFor, rowsOf } from "./engine/engine-of.ts";
import type { Database } from "./schema.ts";

export type CauseRow = Selectable<Database["causes"]>;

/** Keeps why a trace failed, in the place of what was known before. */
export async function putCause(db: Db, row: CauseRow): Promise<void> {
  const { trace_id: _id, ...values } = row;
  await db
    .insertInto("causes")
    .values(row)
    .onConflict((conflict) => conflict.column("trace_id").doUpdateSet(values))
    .execute();
}

/** Why a trace failed, as far as it was found; null when nobody looked yet. */
export async function findCauseOf(db: Db, traceId: string): Promise<CauseRow | null> {
  const row = await db.selectFrom("causes").selectAll().where("trace_id", "=", traceId).executeTakeFirst();
  return row ?? null;
}

/** The headlines of traces that have one, by trace id. At most a page of a list at once. */
export async function headlinesOf(db: Db, traceIds: readonly string[]): Promise<Map<string, string>> {
  if (traceIds.length === 0) return new Map();
  const rows = await rowsOf<{ trace_id: string; headline: string }>(db, {
    sql: `SELECT trace_id, headline FROM causes
      WHERE trace_id IN (${marksFor(traceIds)}) AND headline IS NOT NULL`,
    parameters: [...traceIds],
  });
  return new Map(rows.map(({ trace_id, headline }) => [trace_id, headline]));
}

/** Failures right after a pass whose cause was found without it: their archives were read before the pass's was. */
export async function causesWithout(
  db: Db,
  pass: { id: string; ord: number; org_id: string; scenario_id: string },
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("traces")
    .innerJoin("causes", "causes.trace_id", "traces.id")
    .select("traces.id")
    .where("traces.org_id", "=", pass.org_id)
    .where("traces.scenario_id", "=", pass.scenario_id)
    .where("traces.ord", ">", pass.ord)
    .where((where) =>
      where.or([where("causes.baseline_id", "is", null), where("causes.baseline_id", "<", pass.id)]),
    )
    .orderBy("traces.ord")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
