import { type RawBuilder, sql } from "kysely";
import type { Records } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

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

/**
 * What leaves a tier (`hot`, `warm`) or goes for good (`clock`) on which day, by its age. Triggers count it by the hour; of an hour that two
 * days share, as they do when the age is no whole number of hours, the traces themselves are counted.
 */
export async function leavingByDay(
  records: Records,
  orgId: string,
  kind: Ageing,
  options: { ageMs: number; now: number; most: number },
): Promise<DayOf[]> {
  const hours = await records
    .selectFrom("ageing_totals")
    .select(["hour", "bytes", "count"])
    .where("org_id", "=", orgId)
    .where("kind", "=", kind)
    .orderBy("hour")
    .execute();
  const days = new Map<number, DayOf>();
  const add = (day: number, { bytes, count }: { bytes: number; count: number }) => {
    const known = days.get(day) ?? { day, bytes: 0, count: 0 };
    days.set(day, { day, bytes: known.bytes + bytes, count: known.count + count });
  };
  for (const { hour, bytes, count } of hours) {
    const dayAt = (at: number) => Math.floor(Math.max(at + options.ageMs, options.now) / DAY_MS);
    const [first, last] = [dayAt(hour * HOUR_MS), dayAt((hour + 1) * HOUR_MS - 1)];
    if (last > first) {
      if (days.size > options.most) break;
      const border = last * DAY_MS - options.ageMs;
      const before = await agedWithin(records, orgId, kind, hour * HOUR_MS, border);
      if (before.count > 0) add(first, before);
      if (count > before.count) add(last, { bytes: bytes - before.bytes, count: count - before.count });
    } else add(first, { bytes, count });
  }
  return [...days.values()].slice(0, options.most);
}

/** What `ageing_totals` counts. */
type Ageing = "hot" | "warm" | "clock";

/** Of an org, what ages from within a part of an hour, which ends before `to` (epoch ms). */
async function agedWithin(
  records: Records,
  orgId: string,
  kind: Ageing,
  from: number,
  to: number,
): Promise<{ bytes: number; count: number }> {
  const { hints } = engineOf(records);
  const within =
    kind === "clock"
      ? sql`${sql.raw(hints.through("traces", "traces_leaving"))}
        WHERE by_clock = 1 AND (pinned = 0 OR auto_pinned = 1) AND org_id = ${orgId}`
      : sql`${sql.raw(hints.through("traces", "traces_ageing"))}
        WHERE pinned = 0 AND org_id = ${orgId} AND tier = ${kind}`;
  const { rows } = await sql<{ bytes: number; count: number }>`
    SELECT coalesce(sum(total_size_bytes), 0) AS bytes, count(*) AS count FROM ${within}
      AND status NOT IN ('queued', 'running') AND aged_from >= ${from} AND aged_from < ${to}`.execute(
    records,
  );
  return { bytes: Number(rows[0]!.bytes), count: Number(rows[0]!.count) };
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
