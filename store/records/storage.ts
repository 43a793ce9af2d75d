import { type RawBuilder, sql } from "kysely";
import type { Records } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";

const DAY_MS = 24 * 60 * 60_000;

export interface Total {
  value: string;
  bytes: number;
  count: number;
}

/** Totals of one kind that the triggers keep, the largest first. */
export async function storageTotals(
  records: Records,
  orgId: string,
  kind: "tier" | "scenario" | "artifact" | "blobs",
  most: number,
): Promise<Total[]> {
  return records
    .selectFrom("storage_totals")
    .select(["value", "bytes", "count"])
    .where("org_id", "=", orgId)
    .where("kind", "=", kind)
    .where("count", ">", 0)
    .orderBy("bytes", "desc")
    .limit(most)
    .execute();
}

/** What is still kept of the traces made on each of these days (whole days since 1970). */
export async function bytesByDay(
  records: Records,
  orgId: string,
  days: number[],
): Promise<Map<number, Total>> {
  const rows = await records
    .selectFrom("storage_totals")
    .select(["value", "bytes", "count"])
    .where("org_id", "=", orgId)
    .where("kind", "=", "day")
    .where("value", "in", days.map(String))
    .execute();
  return new Map(rows.map((row) => [Number(row.value), row]));
}

/** When the org's oldest trace was made, epoch ms; null when it has none. */
export async function oldestTraceAt(records: Records, orgId: string): Promise<number | null> {
  const row = await records
    .selectFrom("traces")
    .select("created_at")
    .where("org_id", "=", orgId)
    .orderBy("ord")
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

/** Titles of scenarios by their ids. */
export async function scenariosById(records: Records, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, { slug: string; title: string }>();
  const rows = await records
    .selectFrom("scenarios")
    .select(["id", "slug", "title"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, ...names }) => [id, names]));
}

export interface DayOf {
  /** Whole days since 1970. */
  day: number;
  bytes: number;
  count: number;
}

/** What leaves a tier on which day: unpinned, finished traces by their age. Read from an index alone. */
export async function movesByDay(
  records: Records,
  orgId: string,
  tier: "hot" | "warm",
  options: { ageMs: number; now: number; most: number },
): Promise<DayOf[]> {
  const leaves = sql`aged_from + ${options.ageMs}`;
  const traces = sql.raw(engineOf(records).hints.through("traces", "traces_ageing"));
  const { rows } = await sql<DayOf>`
    SELECT ${dayOfLater(leaves, options.now)} AS day,
      sum(total_size_bytes) AS bytes, count(*) AS count
    FROM ${traces}
    WHERE org_id = ${orgId} AND tier = ${tier} AND pinned = 0 AND status NOT IN ('queued', 'running')
    GROUP BY 1 ORDER BY 1 LIMIT ${options.most}`.execute(records);
  return rows.map((row) => ({ ...row, day: Math.floor(row.day) }));
}

/** Loose blobs that nobody names, by the day on which they are removed. */
export async function orphansByDay(
  records: Records,
  options: { graceMs: number; now: number; most: number },
): Promise<DayOf[]> {
  const { rows } = await sql<DayOf>`
    SELECT ${dayOfLater(sql`o.since + ${options.graceMs}`, options.now)} AS day,
      sum(l.stored_size) AS bytes, count(*) AS count
    FROM orphan_blobs o JOIN blob_locations l ON l.hash = o.hash AND l.container = ''
    GROUP BY 1 ORDER BY 1 LIMIT ${options.most}`.execute(records);
  return rows.map((row) => ({ ...row, day: Math.floor(row.day) }));
}

/** Whole days since 1970 at the later of two moments. */
const dayOfLater = (one: RawBuilder<unknown>, now: number) =>
  sql`(CASE WHEN ${one} > ${now} THEN ${one} ELSE ${now} END) / ${DAY_MS}`;

/** The org's traces that keep the most bytes. */
export async function largestTraces(records: Records, orgId: string, most: number) {
  return records
    .selectFrom("traces")
    .select([
      "id",
      "scenario_slug",
      "scenario_title",
      "status",
      "tier",
      "pinned",
      "created_at",
      "total_size_bytes",
    ])
    .where("org_id", "=", orgId)
    .orderBy("total_size_bytes", "desc")
    .orderBy("ord", "desc")
    .limit(most)
    .execute();
}
