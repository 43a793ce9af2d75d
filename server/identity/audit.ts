import { type AuditEntry, recordAudit } from "../../store/records/audit.ts";
import type { Trx } from "../../store/records/db.ts";
import type { Actor } from "./actor.ts";

/** Writes down what an actor did, in the transaction that does it. `at` is epoch ms. */
export function auditAct(
  within: Trx,
  actor: Pick<Actor, "orgId" | "id" | "ip"> & { type: Actor["type"] | "system" },
  act: Pick<AuditEntry, "at" | "action" | "target" | "detail">,
): Promise<void> {
  const { orgId, type, id, ip } = actor;
  return recordAudit(within, { orgId, actor: { type, id }, ip, ...act });
}
