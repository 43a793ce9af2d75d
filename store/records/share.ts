import type { Db, Trx } from "./db.ts";

/** Visitors of a shared trace that are listed, each once a day; how often it was opened is counted apart. */
export const KEPT_SHARE_VIEWS = 100;

/** An opening of the page of a shared trace. */
export interface ShareView {
  id: string;
  traceId: string;
  /** Epoch ms. */
  at: number;
  ip: string | null;
  userAgent: string | null;
  /** In another site's frame. */
  isEmbedded: boolean;
}

/** The openings of one visitor on one day; `at` is the last. */
export interface ShareVisit extends ShareView {
  times: number;
}

const DAY_MS = 24 * 60 * 60_000;

/** Openings of one share that are told apart; of later ones only their number is kept. */
export const TOLD_SHARE_VIEWS = 10_000;

/**
 * Notes that somebody opened the pages of shared traces: whoever did the same day (UTC) already is counted, not listed
 * anew. Forgets those who are too many. Openings of traces that are gone are passed over.
 */
export async function recordShareViews(trx: Trx, views: readonly ShareView[]): Promise<void> {
  for (const [traceId, ofTrace] of Map.groupBy(views, (view) => view.traceId)) {
    const trace = await trx.selectFrom("traces").select("id").where("id", "=", traceId).executeTakeFirst();
    if (!trace) continue;
    const views = await count(trx, traceId, ofTrace);
    const told = ofTrace.slice(0, Math.max(0, TOLD_SHARE_VIEWS - (views - ofTrace.length)));
    for (const view of told) await tell(trx, view);
    if (told.length > 0) await keepLatest(trx, traceId);
  }
}

async function tell(trx: Trx, view: ShareView): Promise<void> {
  if (await tellAgain(trx, view)) return;
  const { id, traceId, at, ip, userAgent, isEmbedded } = view;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("share_views")
    .values({ id, trace_id: traceId, at, ip, user_agent: userAgent, is_embedded: isEmbedded ? 1 : 0 })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  // Another server told of the same visitor in between.
  if (!numInsertedOrUpdatedRows) await tellAgain(trx, view);
}

/** Counts a visitor who came the same day; false when nobody did. */
async function tellAgain(trx: Trx, { traceId, at, ip, userAgent, isEmbedded }: ShareView): Promise<boolean> {
  const day = at - (at % DAY_MS);
  const again = await trx
    .updateTable("share_views")
    .set({ at, times: (set) => set("times", "+", 1) })
    .where("trace_id", "=", traceId)
    .where("at", ">=", day)
    .where("at", "<", day + DAY_MS)
    .where("ip", "is not distinct from", ip)
    .where("user_agent", "is not distinct from", userAgent)
    .where("is_embedded", "=", isEmbedded ? 1 : 0)
    .executeTakeFirst();
  return again.numUpdatedRows > 0n;
}

/** @returns how many there are with these: of two who count at once each takes numbers of its own */
async function count(trx: Trx, traceId: string, views: readonly ShareView[]): Promise<number> {
  const lastAt = Math.max(...views.map(({ at }) => at));
  const counted = await trx
    .insertInto("share_totals")
    .values({ trace_id: traceId, views: views.length, last_at: lastAt })
    .onConflict((conflict) =>
      conflict.column("trace_id").doUpdateSet({
        views: (set) => set("share_totals.views", "+", set.ref("excluded.views")),
        last_at: (set) =>
          set
            .case()
            .when("share_totals.last_at", ">", set.ref("excluded.last_at"))
            .then(set.ref("share_totals.last_at"))
            .else(set.ref("excluded.last_at"))
            .end(),
      }),
    )
    .returning("views")
    .executeTakeFirstOrThrow();
  return counted.views;
}

async function keepLatest(trx: Trx, traceId: string): Promise<void> {
  const oldest = await trx
    .selectFrom("share_views")
    .select("at")
    .where("trace_id", "=", traceId)
    .orderBy("at", "desc")
    .offset(KEPT_SHARE_VIEWS)
    .limit(1)
    .executeTakeFirst();
  if (oldest)
    await trx
      .deleteFrom("share_views")
      .where("trace_id", "=", traceId)
      .where("at", "<=", oldest.at)
      .execute();
}

/** How often the page of a shared trace was opened, and when last (epoch ms). */
export async function countShareViews(
  db: Db,
  traceId: string,
): Promise<{ views: number; lastAt: number | null }> {
  const row = await db
    .selectFrom("share_totals")
    .select(["views", "last_at"])
    .where("trace_id", "=", traceId)
    .executeTakeFirst();
  return { views: row?.views ?? 0, lastAt: row?.last_at ?? null };
}

/** The visitors that are kept, latest first. */
export async function listShareViews(db: Db, traceId: string): Promise<ShareVisit[]> {
  const rows = await db
    .selectFrom("share_views")
    .selectAll()
    .where("trace_id", "=", traceId)
    .orderBy("at", "desc")
    .limit(KEPT_SHARE_VIEWS)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    traceId: row.trace_id,
    at: row.at,
    ip: row.ip,
    userAgent: row.user_agent,
    isEmbedded: row.is_embedded === 1,
    times: row.times,
  }));
}

/** Forgets who opened shared traces before a moment (epoch ms). Their number stays. */
export async function forgetShareViews(db: Db, before: number): Promise<void> {
  await db.deleteFrom("share_views").where("at", "<", before).execute();
}
