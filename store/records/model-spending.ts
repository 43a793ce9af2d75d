import { sql } from "kysely";
import type { Db } from "./db.ts";

interface Month {
  org_id: string;
  /** Its first moment, epoch milliseconds. */
  month: number;
}

/**
 * Counts so much as spent, if the month then stays within the limit. Judging and counting are one statement, so that of two
 * who come at once for the last of it one gets it.
 * @param microcents millionths of a cent
 * @param limit the same
 * @returns whether it was counted
 */
export async function reserveSpending(
  db: Db,
  { org_id, month }: Month,
  { microcents, limit }: { microcents: number; limit: number },
): Promise<boolean> {
  if (microcents > limit) return false;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("model_spending")
    .values({ org_id, month, microcents })
    .onConflict((conflict) =>
      conflict
        .columns(["org_id", "month"])
        .doUpdateSet({ microcents: sql<number>`model_spending.microcents + excluded.microcents` })
        .where(sql<number>`model_spending.microcents + excluded.microcents`, "<=", limit),
    )
    .executeTakeFirst();
  return Boolean(numInsertedOrUpdatedRows);
}

/** Puts what a question really cost in the place of what was reserved for it. @param by the difference, millionths of a cent */
export async function correctSpending(db: Db, { org_id, month }: Month, by: number): Promise<void> {
  await db
    .updateTable("model_spending")
    .set({ microcents: sql<number>`microcents + ${by}` })
    .where("org_id", "=", org_id)
    .where("month", "=", month)
    .execute();
}

/** What a month cost so far, in millionths of a cent. */
export async function spendingOf(db: Db, { org_id, month }: Month): Promise<number> {
  const row = await db
    .selectFrom("model_spending")
    .select("microcents")
    .where("org_id", "=", org_id)
    .where("month", "=", month)
    .executeTakeFirst();
  return row?.microcents ?? 0;
}
