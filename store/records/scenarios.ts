import { sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";

/**
 * Finds the scenario of a slug, making it when the org has none. A title that is given becomes the scenario's; one
 * that is null leaves it (of a new scenario: the slug).
 * @param given.id the id of a new scenario; `now` is epoch ms.
 */
export async function upsertScenario(
  db: Db,
  given: { id: string; orgId: string; slug: string; title: string | null; now: number },
): Promise<{ id: string; title: string }> {
  const title = given.title ?? given.slug;
  const known = (await idAndTitle(db, given)) ?? (await insertScenario(db, { ...given, title }));
  if (known === null) return upsertScenario(db, given);
  if (given.title === null || given.title === known.title) return known;
  await db
    .updateTable("scenarios")
    .set({ title: given.title, updated_at: given.now })
    .where("id", "=", known.id)
    .execute();
  return { id: known.id, title: given.title };
}

function idAndTitle(db: Db, { orgId, slug }: { orgId: string; slug: string }) {
  return db
    .selectFrom("scenarios")
    .select(["id", "title"])
    .where("org_id", "=", orgId)
    .where("slug", "=", slug)
    .executeTakeFirst();
}

/** Null when somebody else made it in between. */
async function insertScenario(
  db: Db,
  { id, orgId, slug, title, now }: { id: string; orgId: string; slug: string; title: string; now: number },
): Promise<{ id: string; title: string } | null> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("scenarios")
    .values({ id, org_id: orgId, slug, title, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(["org_id", "slug"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows ? { id, title } : null;
}

/** The scenario of an org with this id or, when no id fits, this slug. */
export async function findScenario(
  db: Db,
  orgId: string,
  idOrSlug: string,
): Promise<{ id: string; slug: string; title: string } | null> {
  const find = (column: "id" | "slug", value: string) =>
    db
      .selectFrom("scenarios")
      .select(["id", "slug", "title"])
      .where("org_id", "=", orgId)
      .where(column, "=", value)
      .executeTakeFirst();
  return (await find("id", idOrSlug.toLowerCase())) ?? (await find("slug", idOrSlug)) ?? null;
}

/** Scenarios by their ids. */
export async function scenariosById(
  db: Db,
  ids: string[],
): Promise<Map<string, { id: string; slug: string; title: string }>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("scenarios")
    .select(["id", "slug", "title"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** What a sync leaves of a scenario file. */
export interface ScenarioFileRow {
  id: string;
  org_id: string;
  slug: string;
  title: string;
  path: string | null;
  source: string | null;
  /** JSON: `CompiledScenario`. */
  compiled: string | null;
  missing: number;
  created_at: number;
  updated_at: number;
}

const FILE_COLUMNS = [
  "id",
  "org_id",
  "slug",
  "title",
  "path",
  "source",
  "compiled",
  "missing",
  "created_at",
  "updated_at",
] as const;

/** A scenario with what it was compiled to; null when there is none of that id (or, within an org, slug). */
export async function findScenarioFile(
  db: Db,
  orgId: string,
  idOrSlug: string,
): Promise<ScenarioFileRow | null> {
  const found = await findScenario(db, orgId, idOrSlug);
  if (!found) return null;
  return (
    (await db.selectFrom("scenarios").select(FILE_COLUMNS).where("id", "=", found.id).executeTakeFirst()) ??
    null
  );
}

/** Notes what a scenario's file holds now. */
export async function setScenarioFile(
  db: Db,
  id: string,
  file: { title: string; path: string; source: string; compiled: string; now: number },
): Promise<void> {
  const { now, ...columns } = file;
  await db
    .updateTable("scenarios")
    .set({ ...columns, missing: 0, synced_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
}

/** The org's scenarios that have a file, by slug. */
export async function listScenarioFiles(
  db: Db,
  orgId: string,
): Promise<{ id: string; slug: string; missing: number }[]> {
  return db
    .selectFrom("scenarios")
    .select(["id", "slug", "missing"])
    .where("org_id", "=", orgId)
    .where("path", "is not", null)
    .orderBy("slug")
    .execute();
}

export async function markMissing(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable("scenarios")
    .set({ missing: 1, synced_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
}

/** Scenarios of an org by slug, from after one on. */
export async function pageOfScenarios(
  db: Db,
  {
    orgId,
    after,
    q,
    hasRun,
    limit,
  }: {
    orgId: string;
    after?: string;
    q?: string;
    /** Whether there is a run or a trace of it. */
    hasRun?: boolean;
    limit: number;
  },
): Promise<ScenarioFileRow[]> {
  let query = db.selectFrom("scenarios").select(FILE_COLUMNS).where("org_id", "=", orgId);
  if (after !== undefined) query = query.where("slug", ">", after);
  if (q !== undefined) {
    const { contains } = engineOf(db).letters;
    query = query.where((where) => where.or([contains("slug", q), contains("title", q)]));
  }
  if (hasRun !== undefined) {
    const isKnown = sql<boolean>`(
      exists (select 1 from runs where runs.org_id = ${orgId} and runs.scenario_id = scenarios.id)
      or exists (select 1 from traces where traces.org_id = ${orgId} and traces.scenario_id = scenarios.id))`;
    query = query.where(hasRun ? isKnown : sql<boolean>`not ${isKnown}`);
  }
  return query.orderBy("slug").limit(limit).execute();
}
