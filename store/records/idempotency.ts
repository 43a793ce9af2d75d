import type { Db } from "./db.ts";

/** How long an answer is replayed. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** A remembered answer and the hash of the request it belongs to. */
export interface RememberedAnswer {
  requestHash: string;
  /** JSON. */
  response: string;
}

/** The answer that an org's key stands for; null when there is none or it is older than 24 hours. */
export async function findAnswer(
  db: Db,
  orgId: string,
  key: string,
  now: number,
): Promise<RememberedAnswer | null> {
  const row = await db
    .selectFrom("idempotency_keys")
    .select(["request_hash", "response"])
    .where("org_id", "=", orgId)
    .where("key", "=", key)
    .where("created_at", ">", now - KEPT_MS)
    .executeTakeFirst();
  return row ? { requestHash: row.request_hash, response: row.response } : null;
}

/** Remembers an answer under a key in place of one that has expired; false when the key has an answer that has not. */
export async function rememberAnswer(
  db: Db,
  orgId: string,
  key: string,
  answer: RememberedAnswer,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("idempotency_keys")
    .values({
      org_id: orgId,
      key,
      request_hash: answer.requestHash,
      response: answer.response,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["org_id", "key"])
        .doUpdateSet({
          request_hash: answer.requestHash,
          response: answer.response,
          created_at: now,
        })
        .where("idempotency_keys.created_at", "<=", now - KEPT_MS),
    )
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** Forgets answers older than 24 hours. */
export async function forgetExpiredAnswers(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("created_at", "<=", now - KEPT_MS)
    .execute();
}
