import { sql } from "kysely";
import type { Db } from "./db.ts";
import { runsOfUnresolved } from "./incidents.ts";

const HOUR_MS = 60 * 60_000;
/** How late `used_at` may be: a plan that is used every minute is not written every minute. */
const NOTED_EVERY_MS = 4 * HOUR_MS;
/** How much longer than the runs that were made from it a plan is kept: one may have waited that long before it ended. */
const OUTLIVES_MS = 7 * 24 * HOUR_MS;
/** What is shorter is not worth a row of its own. */
const LEAST_LENGTH = 200;
/** Plans are JSON objects, so that no plan begins like this. */
const BY_HASH = "@";

/**
 * Keeps what runs are made from once for all runs that are made from the same: the runs of a check differ in nothing there.
 * @param now epoch ms of the use
 * @returns what stands in the runs' rows, by plan
 */
export async function keepPlans(
  db: Db,
  plans: Iterable<string>,
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const kept = new Map<string, string>();
  for (const plan of new Set(plans)) kept.set(plan, await keepPlan(db, plan, now));
  return kept;
}

async function keepPlan(db: Db, plan: string, now: number): Promise<string> {
  if (plan.length < LEAST_LENGTH) return plan;
  const hash = new Bun.CryptoHasher("sha256").update(plan).digest("hex");
  await db
    .insertInto("run_plans")
    .values({ hash, plan, used_at: now })
    .onConflict((conflict) =>
      conflict
        .column("hash")
        .doUpdateSet({ used_at: now })
        .where("run_plans.used_at", "<", now - NOTED_EVERY_MS),
    )
    .execute();
  return BY_HASH + hash;
}

/** A run with its plan itself in the place of the name that stands in the row. */
export async function withPlan<Run extends { plan: string }>(db: Db, run: Run): Promise<Run> {
  if (!run.plan.startsWith(BY_HASH)) return run;
  const row = await db
    .selectFrom("run_plans")
    .select("plan")
    .where("hash", "=", run.plan.slice(BY_HASH.length))
    .executeTakeFirst();
  return row ? { ...run, plan: row.plan } : run;
}

/** Forgets plans of which no run is left when runs that ended before a time (epoch ms) are gone. */
export async function prunePlans(db: Db, before: number): Promise<void> {
  const named = db.selectFrom("runs").select("plan").where("id", "in", runsOfUnresolved(db));
  await db
    .deleteFrom("run_plans")
    .where("used_at", "<", before - OUTLIVES_MS)
    .where(sql<string>`${BY_HASH} || hash`, "not in", named)
    .execute();
}
