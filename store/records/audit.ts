import { createHash } from "node:crypto";
import { canonicalJson } from "../canonical-json.ts";
import type { Trx } from "./db.ts";
import type { Database } from "./schema.ts";

/** What happened, by whom and to what. `detail` holds ids and counts, never secrets. */
export interface AuditEntry {
  orgId: string;
  /** Epoch ms. */
  at: number;
  actor: { type: string; id: string };
  /** `noun.verb`, e.g. `trace.delete`. */
  action: string;
  /** Id of what it was done to. */
  target: string;
  ip: string | null;
  detail?: Record<string, unknown>;
}

/** `prev_hash` of an org's first entry. */
export const AUDIT_GENESIS = "0".repeat(64);

/** How often an entry is put at the end anew when others come first each time. */
const TRIES = 100;

/**
 * Appends an entry to its org's chain, in the transaction of the change that it tells of. The hash is the SHA-256 (hex)
 * of the RFC 8785 form of the entry as the API shows it, without `hash` itself. Of two that append at once the second finds
 * its number or its predecessor taken, and goes behind the first.
 * @throws Error when others came first every time
 */
export async function recordAudit(within: Trx, entry: AuditEntry): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const row = await nextRow(within, entry);
    const { numInsertedOrUpdatedRows } = await within
      .insertInto("audit_events")
      .values({ ...row, hash: auditHash(row) })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows) return;
  }
  throw new Error(`The audit chain of ${entry.orgId} grew by others ${TRIES} times before an entry was in.`);
}

async function nextRow(within: Trx, entry: AuditEntry): Promise<AuditRow> {
  const newest = await within
    .selectFrom("audit_events")
    .select("seq")
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  const previous = await within
    .selectFrom("audit_events")
    .select("hash")
    .where("org_id", "=", entry.orgId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return {
    // The number is part of the hash, so it must be known before the row exists.
    seq: (newest?.seq ?? 0) + 1,
    org_id: entry.orgId,
    at: entry.at,
    actor_type: entry.actor.type,
    actor_id: entry.actor.id,
    action: entry.action,
    target: entry.target,
    ip: entry.ip,
    detail: JSON.stringify(entry.detail ?? {}),
    prev_hash: previous?.hash ?? AUDIT_GENESIS,
  };
}

type AuditRow = Omit<import("kysely").Selectable<Database["audit_events"]>, "hash">;

/** The hash that belongs to a row: what `recordAudit` wrote, and what a check of the chain must find again. */
export function auditHash(row: AuditRow): string {
  const shown = {
    seq: row.seq,
    at: new Date(row.at).toISOString(),
    actor: { type: row.actor_type, id: row.actor_id },
    action: row.action,
    target: row.target,
    ip: row.ip,
    detail: JSON.parse(row.detail) as unknown,
    prev_hash: row.prev_hash,
  };
  return createHash("sha256").update(canonicalJson(shown)).digest("hex");
}
