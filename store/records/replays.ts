import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database, ReplayState, TraceStatus } from "./schema.ts";

export type NewReplay = Insertable<Database["replays"]>;
export type ReplayRow = Selectable<Database["replays"]>;

/** A replay with how the trace that it made stands. */
export interface ShownReplay extends Omit<ReplayRow, "plan" | "verdict" | "server_id"> {
  result_status: TraceStatus | null;
}

export async function insertReplay(db: Db, replay: NewReplay): Promise<void> {
  await db.insertInto("replays").values(replay).execute();
}

/** Everything of a replay, with what it is made from. */
export async function findReplay(db: Db, id: string): Promise<ReplayRow | null> {
  return (await db.selectFrom("replays").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** The replay that made a trace. */
export async function findReplayOf(db: Db, traceId: string): Promise<ReplayRow | null> {
  const found = await db
    .selectFrom("replays")
    .selectAll()
    .where("replay_trace_id", "=", traceId)
    .executeTakeFirst();
  return found ?? null;
}

const shown = (db: Db) =>
  db
    .selectFrom("replays")
    .leftJoin("traces", "traces.id", "replays.replay_trace_id")
    .select([
      "replays.id",
      "replays.org_id",
      "replays.trace_id",
      "replays.replay_trace_id",
      "replays.status",
      "replays.from_step",
      "replays.triggered_via",
      "replays.has_edits",
      "replays.created_at",
      "replays.started_at",
      "replays.ended_at",
      "replays.error_reason",
      "replays.error_message",
      "replays.caught_up",
      "traces.status as result_status",
    ]);

export async function findShownReplay(db: Db, id: string): Promise<ShownReplay | null> {
  return (await shown(db).where("replays.id", "=", id).executeTakeFirst()) ?? null;
}

/** Of one trace, newest first: ids are UUIDv7. */
export async function listReplays(db: Db, traceId: string, limit: number): Promise<ShownReplay[]> {
  return shown(db)
    .where("replays.trace_id", "=", traceId)
    .orderBy("replays.id", "desc")
    .limit(limit)
    .execute();
}

/** Replays that a server has under way, or that were begun before servers had ids. */
export async function replaysUnderWay(db: Db, serverId: string): Promise<ReplayRow[]> {
  return db
    .selectFrom("replays")
    .selectAll()
    .where("status", "=", "running")
    .where((is) => is.or([is("server_id", "=", serverId), is("server_id", "is", null)]))
    .orderBy("id")
    .execute();
}

/** Replays that wait or are under way, and of which nobody has noted how they ended. */
export async function replaysWithoutVerdict(db: Db): Promise<ReplayRow[]> {
  return db
    .selectFrom("replays")
    .selectAll()
    .where("status", "in", ["queued", "running"])
    .where("verdict", "is", null)
    .orderBy("id")
    .execute();
}

/** Changes a replay that is still in one of these states; false when it is not (any more). */
export async function changeReplay(
  db: Db,
  id: string,
  from: readonly ReplayState[],
  changes: Partial<Omit<ReplayRow, "id" | "org_id" | "trace_id">>,
): Promise<boolean> {
  const result = await db
    .updateTable("replays")
    .set(changes)
    .where("id", "=", id)
    .where("status", "in", from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
