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

/**
 * Appends an entry to its org's chain, in the transaction of the change that it tells of. The hash is the SHA-256 (hex)
 * of the RFC 8785 form of the entry as the API shows it, without `hash` itself.
 */
export async function recordAudit(within: Trx, entry: AuditEntry): Promise<void> {
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
  const row = {
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
  await within
    .insertInto("audit_events")
    .values({ ...row, hash: auditHash(row) })
    .execute();
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
