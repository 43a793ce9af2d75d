import { sql } from "kysely";
import type { SkippedTicks } from "./checks.ts";
import type { Db } from "./db.ts";
import { engineOf, marksFor, rowsOf } from "./engine/engine-of.ts";
import { keepPlans } from "./run-plans.ts";
import type { NewRun } from "./runs.ts";

/** Spelled out and not bound, so that the planner sees that the partial index applies. */
const OPEN_RUN = "check_id is not null and status in ('queued', 'running')";
const IS_OPEN_RUN = sql<boolean>`${sql.raw(OPEN_RUN)}`;

/** Checks whose fire has come, the longest due first. */
export async function dueChecks(db: Db, now: number, limit: number) {
  return db
    .selectFrom("scheduled_checks as check")
    .selectAll("check")
    .where("check.next_run_at", "<=", now)
    .orderBy("check.next_run_at")
    .orderBy("check.id")
    .limit(limit)
    .execute();
}
export type DueCheck = Awaited<ReturnType<typeof dueChecks>>[number];

/** What checks run, by the scenarios' ids. */
export async function scenariosOf(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom("scenarios")
    .select(["id", "slug", "compiled", "source"])
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** When the next check is due (epoch ms, may lie in the past); null when none is. */
export async function nextTickAt(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom("scheduled_checks")
    .select("next_run_at")
    .where("next_run_at", "is not", null)
    .orderBy("next_run_at")
    .limit(1)
    .executeTakeFirst();
  return row?.next_run_at ?? null;
}

/**
 * Moves checks on from the fire that they all stood at. Those that do not stand there (any more) stay: another server dealt with that
 * fire, or somebody changed the check.
 * @returns the ids of those that were moved
 */
export async function advanceChecks(
  db: Db,
  { ids, from, next, tick }: { ids: readonly string[]; from: number; next: number | null; tick: number },
): Promise<string[]> {
  // Text, as with the runs of a fire: a thousand ids would each become a node of a query.
  const rows = await rowsOf<{ id: string }>(db, {
    sql: `update scheduled_checks set next_run_at = ${next === null ? "null" : "?"}, last_tick_at = ?
      where next_run_at = ? and id in (${marksFor(ids)}) returning id`,
    parameters: [...(next === null ? [] : [next]), tick, from, ...ids],
  });
  return rows.map(({ id }) => id);
}

/** Notes that runs of checks were made for a fire. */
export async function markRun(db: Db, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  const text = `update scheduled_checks set last_run_at = ? where id in (${marksFor(ids)})`;
  await rowsOf(db, { sql: text, parameters: [at, ...ids] });
}

/** Where runs of these checks are queued or under way. */
export async function openRunsOf(
  db: Db,
  checkIds: readonly string[],
): Promise<{ check_id: string; region: string }[]> {
  if (checkIds.length === 0) return [];
  return rowsOf<{ check_id: string; region: string }>(db, {
    sql: `select check_id, region from runs where ${OPEN_RUN} and check_id in (${marksFor(checkIds)})`,
    parameters: [...checkIds],
  });
}

/** What a run for a fire is made of. */
export type TickRun = NewRun & { check_id: string; attempt: number; base_url: string };

const COLUMNS = [
  ...["id", "org_id", "type", "status", "scenario_id", "scenario_slug", "region", "base_url", "trigger"],
  ...["attempt", "parent_run_id", "plan", "scheduled_at", "check_id"],
] as const satisfies (keyof TickRun)[];
const RUNS_AT_ONCE = 100;

/** Inserts runs for fires, of which each fire, region and attempt has one. @returns those that were not there before */
export async function insertTickRuns(db: Db, runs: TickRun[]): Promise<{ id: string; org_id: string }[]> {
  const inserted: { id: string; org_id: string }[] = [];
  const kept = await keepPlans(
    db,
    runs.map(({ plan }) => plan),
    Math.max(0, ...new Set(runs.map(({ scheduled_at }) => scheduled_at))),
  );
  for (let at = 0; at < runs.length; at += RUNS_AT_ONCE) {
    const some = runs.slice(at, at + RUNS_AT_ONCE);
    // Text, which is the same for each hundred of them: making it anew would take longer than the insert.
    const parameters = some.flatMap((run) =>
      COLUMNS.map((column) => (column === "plan" ? kept.get(run.plan)! : (run[column] ?? ""))),
    );
    inserted.push(
      ...(await rowsOf<{ id: string; org_id: string }>(db, { sql: insertOf(some.length), parameters })),
    );
  }
  return inserted;
}

function insertOf(count: number): string {
  const row = `(${COLUMNS.map((column) => (column === "parent_run_id" ? "nullif(?, '')" : "?")).join(", ")})`;
  const rows = Array.from({ length: count }, () => row).join(", ");
  return `insert into runs (${COLUMNS.join(", ")}) values ${rows} on conflict do nothing returning id, org_id`;
}

/**
 * Notes fires without a run. Those that follow the ones before, for the same reason, go on in their row.
 * @param before the fire that was dealt with before `first_at`
 */
export async function noteSkipped(
  db: Db,
  { before, ...skip }: SkippedTicks & { before: number | null },
): Promise<void> {
  const { check_id, region, reason, last_at, ticks } = skip;
  if (before !== null) {
    const { numUpdatedRows } = await db
      .updateTable("skipped_ticks")
      .set((is) => ({ last_at, ticks: is("ticks", "+", ticks) }))
      .where("check_id", "=", check_id)
      .where("region", "=", region)
      .where("reason", "=", reason)
      .where("last_at", "=", before)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return;
  }
  await db
    .insertInto("skipped_ticks")
    .values(skip)
    .onConflict((conflict) => conflict.columns(["check_id", "region", "first_at"]).doNothing())
    .execute();
}

/** Forgets fires that were left out and are over since before a time (epoch ms). */
export async function pruneSkipped(db: Db, before: number): Promise<void> {
  await db.deleteFrom("skipped_ticks").where("last_at", "<", before).execute();
}

/** Which fires of a span have a run of a check in a region, in their order (epoch ms). */
export async function firesThatRan(
  db: Db,
  { checkId, region, first, last }: { checkId: string; region: string; first: number; last: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom("runs")
    .select("scheduled_at")
    .distinct()
    .where("check_id", "=", checkId)
    .where("region", "=", region)
    .where("scheduled_at", ">=", first)
    .where("scheduled_at", "<=", last)
    .orderBy("scheduled_at")
    .execute();
  return rows.map((row) => row.scheduled_at!);
}

/**
 * Forgets fires that were left out at times that are yet to come: the clock was ahead.
 * @returns spans of which a part is yet to come, with their check's schedule: the caller ends them now
 */
export async function forgetSkippedAfter(db: Db, now: number) {
  await db.deleteFrom("skipped_ticks").where("first_at", ">", now).execute();
  return db
    .selectFrom("skipped_ticks as span")
    .innerJoin("scheduled_checks as check", "check.id", "span.check_id")
    .select(["span.check_id", "span.region", "span.first_at", "check.cron", "check.timezone"])
    .where("span.last_at", ">", now)
    .execute();
}

/** Ends a span of fires that were left out at an earlier one. */
export async function endSkippedAt(
  db: Db,
  { check_id, region, first_at }: Pick<SkippedTicks, "check_id" | "region" | "first_at">,
  to: Pick<SkippedTicks, "last_at" | "ticks">,
): Promise<void> {
  await db
    .updateTable("skipped_ticks")
    .set(to)
    .where("check_id", "=", check_id)
    .where("region", "=", region)
    .where("first_at", "=", first_at)
    .execute();
}

/** Checks whose next fire is yet to come though they are not paused, by id. */
export async function checksAhead(
  db: Db,
  { now, after, limit }: { now: number; after: string | null; limit: number },
): Promise<{ id: string; cron: string; timezone: string; next_run_at: number }[]> {
  let query = db
    .selectFrom("scheduled_checks")
    .select(["id", "cron", "timezone", "next_run_at"])
    .where("next_run_at", ">", now)
    .where((is) => is.or([is("paused_until", "is", null), is("paused_until", "<=", now)]));
  if (after !== null) query = query.where("id", ">", after);
  const rows = await query.orderBy("id").limit(limit).execute();
  return rows.map((row) => ({ ...row, next_run_at: row.next_run_at! }));
}

/** Puts the next fire of a check nearer; false when it stands elsewhere (any more). */
export async function pullCheckBack(
  db: Db,
  { id, from, next }: { id: string; from: number; next: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("scheduled_checks")
    .set({ next_run_at: next })
    .where("id", "=", id)
    .where("next_run_at", "=", from)
    .where("next_run_at", ">", next)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Runs of checks that got a place before a time (epoch ms), never began, and have no open job of this kind, whose key is their id. */
export async function lostPlaces(
  db: Db,
  { kind, before }: { kind: string; before: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("runs")
    .select("id")
    .where(IS_OPEN_RUN)
    .where("status", "=", "queued")
    .where("admitted_at", "<", before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("jobs")
            .select("jobs.id")
            .where("jobs.kind", "=", kind)
            .whereRef("jobs.dedupe_key", "=", "runs.id")
            .where("jobs.state", "in", ["queued", "running"]),
        ),
      ),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a comparison of a scenario's clones with production is queued or under way. */
export async function hasOpenShadowDiff(
  db: Db,
  { orgId, scenarioId }: { orgId: string; scenarioId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("runs")
    .select("id")
    .where("org_id", "=", orgId)
    .where("status", "in", ["queued", "running"])
    .where("type", "=", "shadow_diff")
    .where("scenario_id", "=", scenarioId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Orgs that have runs of checks without a place. */
export async function orgsWithWaitingRuns(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("runs")
    .select("org_id")
    .distinct()
    .where(IS_OPEN_RUN)
    .where("status", "=", "queued")
    .where("admitted_at", "is", null)
    .execute();
  return rows.map(({ org_id }) => org_id);
}

/**
 * Gives the places that are free to the runs of an org's checks that wait longest. The count is part of the statement, so that of
 * two servers that do so at once neither gives more than there are.
 * @returns the ids of the runs that got one
 */
export async function admitRuns(
  db: Db,
  { orgId, most, now }: { orgId: string; most: number; now: number },
): Promise<string[]> {
  await engineOf(db).alone(db, `places of ${orgId}`);
  const isOfOrg = sql<boolean>`org_id = ${orgId} and ${IS_OPEN_RUN}`;
  const { rows } = await sql<{ id: string }>`
    update runs set admitted_at = ${now} where id in (
      select id from (
        select id, row_number() over (order by scheduled_at, id) as place from runs
        where ${isOfOrg} and status = 'queued' and admitted_at is null
      ) as waiting
      where place <= ${most} - (select count(*) from runs where ${isOfOrg} and admitted_at is not null)
    ) returning id`.execute(db);
  return rows.map(({ id }) => id);
}
