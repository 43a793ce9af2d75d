import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type GateScenarioRow = Selectable<Database["gate_scenarios"]>;

/** Notes the scenarios that a gate is about. */
export async function insertGateScenarios(
  db: Db,
  rows: Insertable<Database["gate_scenarios"]>[],
): Promise<void> {
  for (const row of rows) await db.insertInto("gate_scenarios").values(row).execute();
}

/** All scenarios of a gate, by slug. */
export async function gateScenarios(db: Db, gateId: string): Promise<GateScenarioRow[]> {
  return db.selectFrom("gate_scenarios").selectAll().where("gate_id", "=", gateId).orderBy("slug").execute();
}

/** The scenario of a gate that a run was made for, on the head commit or on the base. */
export async function gateScenarioOfRun(db: Db, runId: string): Promise<GateScenarioRow | null> {
  const find = (column: "run_id" | "base_run_id") =>
    db.selectFrom("gate_scenarios").selectAll().where(column, "=", runId).executeTakeFirst();
  return (await find("run_id")) ?? (await find("base_run_id")) ?? null;
}

/** Notes the run that is made of a scenario; false when one was made before. */
export async function noteGateRun(
  db: Db,
  { gateId, slug, runId }: { gateId: string; slug: string; runId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("gate_scenarios")
    .set({ run_id: runId, plan: null })
    .where("gate_id", "=", gateId)
    .where("slug", "=", slug)
    .where("run_id", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Notes the run on the base commit; false when one was made before. */
export async function noteBaseRun(
  db: Db,
  { gateId, slug, runId }: { gateId: string; slug: string; runId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("gate_scenarios")
    .set({ base_run_id: runId })
    .where("gate_id", "=", gateId)
    .where("slug", "=", slug)
    .where("base_run_id", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Writes down what a scenario's run tells; false when that was done before. */
export async function noteFinding(
  db: Db,
  { gateId, slug, finding }: { gateId: string; slug: string; finding: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("gate_scenarios")
    .set({ finding })
    .where("gate_id", "=", gateId)
    .where("slug", "=", slug)
    .where("finding", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The newest run of a scenario that ended on a commit, made for a gate of the same org. */
export async function gateRunOn(
  db: Db,
  { orgId, slug, sha }: { orgId: string; slug: string; sha: string },
): Promise<string | null> {
  const row = await db
    .selectFrom("gate_scenarios")
    .innerJoin("gates", "gates.id", "gate_scenarios.gate_id")
    .select("gate_scenarios.run_id")
    .where("gates.org_id", "=", orgId)
    .where("gates.head_sha", "=", sha)
    .where("gate_scenarios.slug", "=", slug)
    .where("gate_scenarios.finding", "is not", null)
    .orderBy("gates.id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.run_id ?? null;
}
