import type { Transaction } from "kysely";
import type { Database } from "./schema.ts";
import type { Records } from "./sqlite.ts";

type Db = Records | Transaction<Database>;

/** Notes that somebody opened the page of a shared trace. */
export async function recordShareView(
  db: Db,
  view: { id: string; traceId: string; at: number; ip: string | null; userAgent: string | null },
): Promise<void> {
  await db
    .insertInto("share_views")
    .values({ id: view.id, trace_id: view.traceId, at: view.at, ip: view.ip, user_agent: view.userAgent })
    .execute();
}

/** How often the page of a shared trace was opened, and when last (epoch ms). */
export async function countShareViews(
  db: Db,
  traceId: string,
): Promise<{ views: number; lastAt: number | null }> {
  const row = await db
    .selectFrom("share_views")
    .select((select) => [select.fn.countAll<number>().as("views"), select.fn.max("at").as("last_at")])
    .where("trace_id", "=", traceId)
    .executeTakeFirstOrThrow();
  return { views: row.views, lastAt: row.last_at };
}
