import { sql } from "kysely";
import { PREFLIGHT } from "./checks.ts";
import type { Db } from "./db.ts";

/** The audit entry that says that analytics leave synthetic visits out. */
export const ANALYTICS_ACK = "onboarding.analytics_ack";

/** When an org first came so far (epoch ms); null where it has not. */
export interface Milestones {
  /** A scenario with a file was taken in. */
  scenario: number | null;
  /** One of those passed. */
  pass: number | null;
  /** A preflight was recorded. */
  preflight: number | null;
  /** Somebody said that analytics leave synthetic visits out. */
  analytics: number | null;
  /** A check that is on counts. */
  check: number | null;
  /** A message arrived over a channel that is on. */
  channel: number | null;
}

/** How far an org has come from nothing to a watched scenario: what its records say now. */
export async function milestonesOf(db: Db, orgId: string): Promise<Milestones> {
  return {
    scenario: await firstScenario(db, orgId),
    pass: await firstPass(db, orgId),
    preflight: await firstEntry(db, orgId, PREFLIGHT),
    analytics: await firstEntry(db, orgId, ANALYTICS_ACK),
    check: await firstCheck(db, orgId),
    channel: await firstArrival(db, orgId),
  };
}

const withFile = (db: Db, orgId: string) =>
  db.selectFrom("scenarios").where("org_id", "=", orgId).where("compiled", "is not", null);

async function firstScenario(db: Db, orgId: string): Promise<number | null> {
  const row = await withFile(db, orgId)
    .select((eb) => eb.fn.min<number | null>("created_at").as("at"))
    .executeTakeFirst();
  return atOf(row);
}

/** The first passed trace of each scenario lies at one place of an index: traces are many, scenarios are not. */
async function firstPass(db: Db, orgId: string): Promise<number | null> {
  const firsts = withFile(db, orgId).select((eb) =>
    eb
      .selectFrom("traces")
      .select("traces.created_at")
      .where("traces.org_id", "=", orgId)
      .whereRef("traces.scenario_id", "=", "scenarios.id")
      // Spelled out and not bound, so that the planner sees that the partial index applies.
      .where(sql<boolean>`traces.status = 'passed'`)
      .where("traces.parent_trace_id", "is", null)
      .orderBy("traces.ord")
      .limit(1)
      .as("at"),
  );
  const row = await db
    .selectFrom(firsts.as("firsts"))
    .select((eb) => eb.fn.min<number | null>("firsts.at").as("at"))
    .executeTakeFirst();
  return atOf(row);
}

/** @param action one that has an index of its own */
async function firstEntry(
  db: Db,
  orgId: string,
  action: typeof PREFLIGHT | typeof ANALYTICS_ACK,
): Promise<number | null> {
  const row = await db
    .selectFrom("audit_events")
    .select((eb) => eb.fn.min<number | null>("at").as("at"))
    .where("org_id", "=", orgId)
    .where(sql<boolean>`action = ${sql.lit(action)}`)
    .executeTakeFirst();
  return atOf(row);
}

async function firstCheck(db: Db, orgId: string): Promise<number | null> {
  const row = await db
    .selectFrom("scheduled_checks")
    .select((eb) => eb.fn.min<number | null>("counts_from").as("at"))
    .where("org_id", "=", orgId)
    .where("enabled", "=", 1)
    .executeTakeFirst();
  return atOf(row);
}

async function firstArrival(db: Db, orgId: string): Promise<number | null> {
  const row = await db
    .selectFrom("notification_channels")
    .select((eb) => eb.fn.min<number | null>("arrived_at").as("at"))
    .where("org_id", "=", orgId)
    .where("enabled", "=", 1)
    .executeTakeFirst();
  return atOf(row);
}

/** PostgreSQL gives big integers as text. */
const atOf = (row: { at: number | string | null } | undefined): number | null =>
  row?.at == null ? null : Number(row.at);
