import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { Database } from "./schema.ts";

export type IncidentRow = Selectable<Database["incidents"]>;
export type TimelineRow = Selectable<Database["incident_timeline"]>;

/** Has whoever else decides on incidents of a scenario wait until this transaction ends. Begin with it, or with something that writes. */
export const decideAlone = (db: Db, scenarioId: string) =>
  engineOf(db).alone(db, `incidents of ${scenarioId}`);

/** @throws a unique violation when one of the scenario and region has not ended yet */
export async function insertIncident(db: Db, row: Insertable<Database["incidents"]>): Promise<void> {
  await db.insertInto("incidents").values(row).execute();
}

/** Changes an incident that has not ended; false when it has. */
export async function changeIncident(
  db: Db,
  id: string,
  changes: Partial<Omit<IncidentRow, "id" | "org_id">>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("incidents")
    .set(changes)
    .where("id", "=", id)
    .where("resolved_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function findIncident(db: Db, id: string): Promise<IncidentRow | null> {
  return (await db.selectFrom("incidents").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** Incidents of a scenario that have not ended, in the order of their opening; at most one for each region, and the outage. */
export async function unresolvedOf(db: Db, scenarioId: string): Promise<IncidentRow[]> {
  return db
    .selectFrom("incidents")
    .selectAll()
    .where("scenario_id", "=", scenarioId)
    .where("resolved_at", "is", null)
    .orderBy("opened_at")
    .orderBy("id")
    .execute();
}

/** When the last incident of a scenario and region ended; null when there was none. */
export async function lastResolvedAt(db: Db, scenarioId: string, region: string): Promise<number | null> {
  const row = await db
    .selectFrom("incidents")
    .select("resolved_at")
    .where("scenario_id", "=", scenarioId)
    .where("region", "=", region)
    .where("type", "<>", "global_outage")
    .where("resolved_at", "is not", null)
    .orderBy("resolved_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.resolved_at ?? null;
}

export interface IncidentFilters {
  orgId: string;
  status?: IncidentRow["status"];
  type?: IncidentRow["type"];
  scenarioId?: string;
  /** Id of the last incident of the page before. */
  after?: string;
  limit: number;
}

/** Newest first. Ids are UUIDv7, so their order is that of their making. */
export async function listIncidents(db: Db, filters: IncidentFilters): Promise<IncidentRow[]> {
  let query = db.selectFrom("incidents").selectAll().where("org_id", "=", filters.orgId);
  if (filters.status !== undefined) query = query.where("status", "=", filters.status);
  if (filters.type !== undefined) query = query.where("type", "=", filters.type);
  if (filters.scenarioId !== undefined) query = query.where("scenario_id", "=", filters.scenarioId);
  if (filters.after !== undefined) query = query.where("id", "<", filters.after);
  return query.orderBy("id", "desc").limit(filters.limit).execute();
}

/** Incidents of all orgs that nobody took on and that no outage holds, by their ids. @param after id of the last one before */
export async function openIncidentsAfter(db: Db, after: string, limit: number): Promise<IncidentRow[]> {
  return (
    db
      .selectFrom("incidents")
      .selectAll()
      // Spelled out and not bound, so that the planner sees that the partial index applies.
      .where(sql<boolean>`status = 'open'`)
      .where("parent_incident_id", "is", null)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute()
  );
}

/** The incidents that an outage of several regions holds together, by region. */
export async function childrenOf(db: Db, id: string): Promise<IncidentRow[]> {
  return db
    .selectFrom("incidents")
    .selectAll()
    .where("parent_incident_id", "=", id)
    .orderBy("region")
    .orderBy("id")
    .execute();
}

/** Incidents that have not ended, where no check that is there makes runs: their scenario's checks have gone, or their region. */
export async function unwatchedIncidents(db: Db, limit: number): Promise<IncidentRow[]> {
  const rows = await db
    .selectFrom("incidents")
    .leftJoin("scheduled_checks", (join) =>
      join
        .onRef("scheduled_checks.scenario_id", "=", "incidents.scenario_id")
        .on("scheduled_checks.enabled", "=", 1),
    )
    .selectAll("incidents")
    .select("scheduled_checks.regions")
    .where("incidents.resolved_at", "is", null)
    .where("incidents.type", "<>", "global_outage")
    .orderBy("incidents.id")
    .execute();
  const watched = new Set(
    rows
      .filter(({ regions, region }) => regions !== null && (JSON.parse(regions) as string[]).includes(region))
      .map(({ id }) => id),
  );
  const found = new Map(rows.filter(({ id }) => !watched.has(id)).map((row) => [row.id, row]));
  return [...found.values()].slice(0, limit);
}

/** Adds to the timeline, behind what stands there. */
export async function addTimeline(db: Db, row: Omit<TimelineRow, "seq">): Promise<void> {
  const seq = sql<number>`(select coalesce(max(seq), -1) + 1 from incident_timeline where incident_id = ${row.incident_id})`;
  await db
    .insertInto("incident_timeline")
    .values({ ...row, seq })
    .execute();
}

/** The timeline of an incident in its order; of one that is longer, its end. */
export async function timelineOf(db: Db, incidentId: string, limit: number): Promise<TimelineRow[]> {
  const newest = await db
    .selectFrom("incident_timeline")
    .selectAll()
    .where("incident_id", "=", incidentId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
  return newest.reverse();
}

/** The entries of an incident's timeline that say which rules fired, in their order, however many came between and after them. */
export async function firedOf(db: Db, incidentId: string): Promise<TimelineRow[]> {
  return db
    .selectFrom("incident_timeline")
    .selectAll()
    .where("incident_id", "=", incidentId)
    .where("kind", "in", ["opened", "rule"])
    .orderBy("seq")
    .execute();
}

/** Removes incidents that ended before a time (epoch ms); how many. */
export async function pruneIncidents(db: Db, before: number, limit: number): Promise<number> {
  const old = db.selectFrom("incidents").select("id").where("resolved_at", "<", before).limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("incidents")
    .where("id", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Ids of the runs that incidents which have not ended name: why they opened is told from them. */
export function runsOfUnresolved(db: Db) {
  return db
    .selectFrom("incident_timeline")
    .innerJoin("incidents", "incidents.id", "incident_timeline.incident_id")
    .select("incident_timeline.run_id")
    .where("incidents.resolved_at", "is", null)
    .where("incident_timeline.run_id", "is not", null)
    .$narrowType<{ run_id: string }>();
}
