import { createHash } from "node:crypto";
import type { Selectable } from "kysely";
import { canonicalJson } from "../canonical-json.ts";
import type { Db, Trx } from "./db.ts";
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

export type WholeAuditRow = Selectable<Database["audit_events"]>;
export type AuditRow = Omit<WholeAuditRow, "hash">;

/** An entry as the API shows it, without its hash. */
export function shownAudit(row: AuditRow) {
  return {
    seq: row.seq,
    at: new Date(row.at).toISOString(),
    actor: { type: row.actor_type, id: row.actor_id },
    action: row.action,
    target: row.target,
    ip: row.ip,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
    prev_hash: row.prev_hash,
  };
}

/** The hash that belongs to a row: what `recordAudit` wrote, and what a check of the chain must find again. */
export function auditHash(row: AuditRow): string {
  return createHash("sha256")
    .update(canonicalJson(shownAudit(row)))
    .digest("hex");
}

/** How an org's chain ends. */
export interface ChainHead {
  /** 0 without an entry. */
  seq: number;
  hash: string;
  count: number;
}

/** The highest number of any org's entries; 0 without one. */
export async function newestAuditSeq(db: Db): Promise<number> {
  const newest = await db
    .selectFrom("audit_events")
    .select("seq")
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.seq ?? 0;
}

/** Ids of the orgs that have entries after that one. */
export async function orgsWithAuditAfter(db: Db, seq: number): Promise<string[]> {
  const rows = await db
    .selectFrom("audit_events")
    .select("org_id")
    .where("seq", ">", seq)
    .distinct()
    .orderBy("org_id")
    .execute();
  return rows.map(({ org_id }) => org_id);
}

/** The end of an org's chain. With `since`, entries up to it count as those that it says. */
export async function auditHeadOf(
  db: Db,
  orgId: string,
  since: Pick<ChainHead, "seq" | "count"> = { seq: 0, count: 0 },
): Promise<ChainHead> {
  const last = await db
    .selectFrom("audit_events")
    .select(["seq", "hash"])
    .where("org_id", "=", orgId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!last) return { seq: 0, hash: AUDIT_GENESIS, count: 0 };
  const from = last.seq < since.seq ? { seq: 0, count: 0 } : since;
  const { more } = await db
    .selectFrom("audit_events")
    .select((eb) => eb.fn.countAll<number>().as("more"))
    .where("org_id", "=", orgId)
    .where("seq", ">", from.seq)
    .executeTakeFirstOrThrow();
  return { ...last, count: from.count + Number(more) };
}

/** The hash of an org's entry; undefined when it has none of that number. */
export async function auditHashAt(db: Db, orgId: string, seq: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("audit_events")
    .select("hash")
    .where("seq", "=", seq)
    .where("org_id", "=", orgId)
    .executeTakeFirst();
  return row?.hash;
}

/** An org's entries in the order of the chain, after one of them. */
export function auditRowsOf(
  db: Db,
  orgId: string,
  { after, limit }: { after: number; limit: number },
): Promise<WholeAuditRow[]> {
  return db
    .selectFrom("audit_events")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/** What a list of entries is asked for; times are epoch ms, the end excluded. */
export interface AuditFilters {
  actor?: string;
  /** `noun.verb`, or `noun.*` for all of a noun. */
  action?: string;
  target?: string;
  from?: number;
  to?: number;
}

/** Entries of an org by filters: newest first before one of them, or oldest first after one. */
export function listAudit(
  db: Db,
  orgId: string,
  filters: AuditFilters,
  { order, at, limit }: { order: "asc" | "desc"; at?: number; limit: number },
): Promise<WholeAuditRow[]> {
  const { actor, action, target, from, to } = filters;
  let query = db.selectFrom("audit_events").selectAll().where("org_id", "=", orgId);
  if (actor !== undefined) query = query.where("actor_id", "=", actor);
  if (target !== undefined) query = query.where("target", "=", target);
  if (action?.endsWith(".*")) {
    const noun = action.slice(0, -1);
    // "/" follows "." in both databases' order of bytes.
    query = query.where("action", ">=", noun).where("action", "<", `${noun.slice(0, -1)}/`);
  } else if (action !== undefined) query = query.where("action", "=", action);
  if (from !== undefined) query = query.where("at", ">=", from);
  if (to !== undefined) query = query.where("at", "<", to);
  if (at !== undefined) query = query.where("seq", order === "asc" ? ">" : "<", at);
  return query.orderBy("seq", order).limit(limit).execute();
}
