import { type AuditEntry, recordAudit } from "../../store/records/audit.ts";
import type { Trx } from "../../store/records/db.ts";
import type { Actor } from "./actor.ts";

/** Whoever did something: an actor, or the server itself. */
export type AuditActor = Pick<Actor, "orgId" | "id" | "ip"> & {
  type: Actor["type"] | "system";
  userId?: string | null;
};

/** Writes down what an actor did, in the transaction that does it. `at` is epoch ms. */
export function auditAct(
  within: Trx,
  actor: AuditActor,
  act: Pick<AuditEntry, "at" | "action" | "target" | "detail">,
): Promise<void> {
  const { orgId, ip } = actor;
  return recordAudit(within, { orgId, actor: whoIs(actor), ip, ...act });
}

/** Somebody who is signed in is the person, whichever session it was. */
function whoIs({ type, id, userId }: { type: string; id: string; userId?: string | null }) {
  return type === "session" && userId ? { type: "user", id: userId } : { type, id };
}
