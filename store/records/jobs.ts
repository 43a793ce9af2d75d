import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Records } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { WantedJob } from "./engine/types.ts";
import { IS_OPEN, isFree } from "./open-jobs.ts";
import type { Database, JobState } from "./schema.ts";

export type JobRow = Selectable<Database["jobs"]>;

/** Inserts a job; false when an open one of the same kind and dedupe key is there already, or one of the same kind and period. */
export async function insertJob(within: Db, row: Insertable<Database["jobs"]>): Promise<boolean> {
  const result = await within
    .insertInto("jobs")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Whether a job was ever added, and not forgotten since. */
export async function hasJob(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom("jobs").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/** Whether an open job is about a trace, as its payload says. */
export async function hasWorkFor(db: Db, traceId: string): Promise<boolean> {
  const row = await db
    .selectFrom("jobs")
    .select("id")
    .where(IS_OPEN)
    .where(engineOf(db).json.field("payload", "trace_id"), "=", traceId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The payloads of all open jobs of a kind. */
export async function openPayloads(db: Db, kind: string): Promise<Record<string, unknown>[]> {
  const rows = await db
    .selectFrom("jobs")
    .select("payload")
    .where("kind", "=", kind)
    .where(IS_OPEN)
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
}

/** Takes the longest due job of these kinds in no busy lane, leased until `leaseUntil` under `token` to `server`; null when none is due. */
export async function claimJob(records: Records, claim: WantedJob): Promise<JobRow | null> {
  if (claim.kinds.length === 0) return null;
  return engineOf(records).claim.take(records, claim);
}

/** Moves the end of a lease; false when the lease is no longer this worker's. */
export async function extendLease(
  records: Records,
  lease: { id: string; token: string; leaseUntil: number },
): Promise<boolean> {
  return settle(records, lease, { visible_at: lease.leaseUntil });
}

/**
 * Notes that work begins which the process may die of.
 * @returns how often it died of it before; null when the lease is no longer this worker's
 */
export async function beginDeadly(
  records: Records,
  lease: { id: string; token: string },
): Promise<number | null> {
  const row = await records
    .updateTable("jobs")
    .set(({ eb }) => ({ deaths: eb("deaths", "+", 1) }))
    .where("id", "=", lease.id)
    .where("lease_token", "=", lease.token)
    .where("state", "=", "running")
    .returning("deaths")
    .executeTakeFirst();
  return row ? row.deaths - 1 : null;
}

/** Marks the job done; false when the lease was lost, and then nothing changes. */
export async function finishJob(
  records: Records,
  lease: { id: string; token: string; now: number },
): Promise<boolean> {
  return settle(records, lease, {
    state: "done",
    lease_token: null,
    finished_at: lease.now,
    last_error: null,
  });
}

/**
 * Counts one failure and has the job run again at `retryAt`, or marks it dead when that is null.
 * @param lease.deaths as it was before `beginDeadly`, where that was called
 */
export async function failJob(
  records: Records,
  lease: {
    id: string;
    token: string;
    now: number;
    attempts: number;
    error: string;
    retryAt: number | null;
    deaths?: number | undefined;
  },
): Promise<boolean> {
  const { attempts, error: last_error } = lease;
  const deaths = lease.deaths === undefined ? {} : { deaths: lease.deaths };
  if (lease.retryAt === null)
    return settle(records, lease, {
      state: "dead",
      lease_token: null,
      finished_at: lease.now,
      attempts,
      last_error,
      ...deaths,
    });
  return settle(records, lease, {
    state: "queued",
    lease_token: null,
    visible_at: lease.retryAt,
    attempts,
    last_error,
    ...deaths,
  });
}

/**
 * Gives the job back without counting a failure: shutdown, or a verdict that could not be written.
 * @param lease.deaths as it was before `beginDeadly`, where that was called
 */
export async function releaseJob(
  records: Records,
  lease: { id: string; token: string; runAt: number; deaths?: number | undefined },
): Promise<boolean> {
  const deaths = lease.deaths === undefined ? {} : { deaths: lease.deaths };
  return settle(records, lease, {
    state: "queued",
    lease_token: null,
    visible_at: lease.runAt,
    ...deaths,
  });
}

async function settle(
  records: Records,
  lease: { id: string; token: string },
  change: Partial<Pick<JobRow, "state" | "visible_at" | "attempts" | "deaths">> & {
    lease_token?: null;
    finished_at?: number;
    last_error?: string | null;
  },
): Promise<boolean> {
  const result = await records
    .updateTable("jobs")
    .set(change)
    .where("id", "=", lease.id)
    .where("lease_token", "=", lease.token)
    .where("state", "=", "running")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Hands back every lease of a server: at its start, when no other process can be that server. Those of others end by
 * themselves. A lease without a server is one of before servers had ids, when there was one.
 */
export async function releaseJobsOf(records: Records, server: string, now: number): Promise<number> {
  const result = await records
    .updateTable("jobs")
    .set({ state: "queued", lease_token: null, visible_at: now })
    .where("state", "=", "running")
    .where((is) => is.or([is("lease_server", "=", server), is("lease_server", "is", null)]))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * After the wall clock went back: no lease may end later than `maxLeaseMs` from now, no retry wait longer than
 * `maxRetryMs`. A job that was added while the clock was ahead waits from now on for as long as it was to wait then, one that was to run
 * at once not at all. What was added before keeps its time.
 */
export async function pullBackJobs(
  records: Records,
  limits: { now: number; maxLeaseMs: number; maxRetryMs: number },
): Promise<void> {
  const { now, maxLeaseMs, maxRetryMs } = limits;
  await records
    .updateTable("jobs")
    .set({ visible_at: now })
    .where(IS_OPEN)
    .where("visible_at", ">", now)
    .where((is) =>
      is.or([
        is.and([is("state", "=", "running"), is("visible_at", ">", now + maxLeaseMs)]),
        is.and([is("state", "=", "queued"), is("attempts", ">", 0), is("visible_at", ">", now + maxRetryMs)]),
      ]),
    )
    .execute();
  await records
    .updateTable("jobs")
    .set({ visible_at: sql<number>`${now} + visible_at - created_at`, created_at: now })
    .where(IS_OPEN)
    .where("visible_at", ">", now)
    .where("state", "=", "queued")
    .where("attempts", "=", 0)
    .where("created_at", ">", now)
    .execute();
}

/** When the next open job of these kinds in no busy lane is due (epoch ms, may lie in the past); null when there is none. */
export async function nextDueAt(
  records: Records,
  kinds: string[],
  busyLanes: string[] = [],
): Promise<number | null> {
  if (kinds.length === 0) return null;
  // Without its index: the planner would take that one and sort every open job.
  const kind = sql.raw<string>(engineOf(records).hints.unindexed("kind"));
  const row = await records
    .selectFrom("jobs")
    .select("visible_at")
    .where(IS_OPEN)
    .where(kind, "in", kinds)
    .$if(busyLanes.length > 0, (query) => query.where(isFree(busyLanes)))
    .orderBy("visible_at")
    .limit(1)
    .executeTakeFirst();
  return row?.visible_at ?? null;
}

/** Jobs by state and kind, for `/metrics` and `doctor`. */
export async function countJobs(
  records: Records,
): Promise<{ state: JobState; kind: string; count: number }[]> {
  return records
    .selectFrom("jobs")
    .select(["state", "kind", (select) => select.fn.countAll<number>().as("count")])
    .groupBy(["state", "kind"])
    .execute();
}

/** Open jobs whose kind nobody handles. */
export async function countUnhandled(
  records: Records,
  kinds: string[],
): Promise<{ kind: string; count: number }[]> {
  let query = records
    .selectFrom("jobs")
    .select(["kind", (select) => select.fn.countAll<number>().as("count")])
    .where(IS_OPEN)
    .groupBy("kind");
  if (kinds.length > 0) query = query.where("kind", "not in", kinds);
  return query.execute();
}

/** Jobs that were given up, in the order they were made. */
export async function deadJobs(records: Records, limit?: number): Promise<JobRow[]> {
  return records
    .selectFrom("jobs")
    .selectAll()
    .where("state", "=", "dead")
    .orderBy("id")
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .execute();
}

/** Has a dead job run again from `now` on, as if for the first time; false when an open one stands in for it. */
export async function reviveJob(within: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await within
    .updateTable("jobs")
    .set({ state: "queued", attempts: 0, deaths: 0, visible_at: now, lease_token: null, finished_at: null })
    .where("id", "=", id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("jobs as other")
            .select("other.id")
            .whereRef("other.kind", "=", "jobs.kind")
            .whereRef("other.dedupe_key", "=", "jobs.dedupe_key")
            .where("other.state", "in", ["queued", "running"]),
        ),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Forgets jobs that were done before `before` (epoch ms), those of a period only before `periodsBefore`: their rows say that it was dealt with.
 * Dead jobs stay: somebody has to look at them.
 * @returns how many, `limit` at most
 */
export async function pruneJobs(
  records: Records,
  { before, periodsBefore, limit }: { before: number; periodsBefore: number; limit: number },
): Promise<number> {
  const old = records
    .selectFrom("jobs")
    .select("id")
    .where(sql<boolean>`state = 'done'`)
    .where("finished_at", "<", before)
    .where((is) => is.or([is("period_at", "is", null), is("finished_at", "<", periodsBefore)]))
    .limit(limit);
  const result = await records.deleteFrom("jobs").where("id", "in", old).executeTakeFirst();
  return Number(result.numDeletedRows);
}
