import {
  type DeliveryRow,
  findDelivery,
  listDeliveries,
  reopenDelivery,
} from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { readIdCursor, writeIdCursor } from "../../http/cursors.ts";
import { AppError, conflict, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { DELIVER } from "./kinds.ts";
import { type Delivery, type DeliveryListQuery, toDelivery } from "./model.ts";

type DeliveryDeps = CommitDeps & Pick<Deps, "store" | "clock">;

/** One page of what was told or waits to be, newest first. @throws AppError for a cursor that this list did not give out */
export async function showDeliveries(
  deps: DeliveryDeps,
  actor: Actor,
  query: DeliveryListQuery,
): Promise<{ items: Delivery[]; next_cursor: string | null }> {
  const limit = query.limit ?? 50;
  const rows = await listDeliveries(deps.store.records, {
    orgId: actor.orgId,
    limit: limit + 1,
    state: query.state,
    incidentId: query.incident_id?.toLowerCase(),
    channelId: query.channel_id?.toLowerCase(),
    before: query.cursor === undefined ? undefined : readIdCursor(query.cursor),
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map(toDelivery),
    next_cursor: last ? writeIdCursor(last.id) : null,
  };
}

/**
 * Has a message that has ended sent again, with all its tries.
 * @throws AppError `not_found`, `wrong_org`, `conflict` for one that still waits
 */
export async function replayDelivery(deps: DeliveryDeps, actor: Actor, id: string): Promise<Delivery> {
  const { id: target, attempts, channel_id: lane } = await requireDelivery(deps, actor, id);
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    if (!(await reopenDelivery(trx, target, now)))
      throw conflict("This delivery has not ended: it is still being tried.");
    const dedupeKey = `${target} replay ${attempts}`;
    await after.add({ kind: DELIVER, payload: { delivery_id: target }, dedupeKey, lane });
    await auditAct(trx, actor, { at: now, action: "delivery.replay", target, detail: {} });
  });
  return toDelivery(await requireDelivery(deps, actor, target));
}

async function requireDelivery(deps: DeliveryDeps, actor: Actor, id: string): Promise<DeliveryRow> {
  const row = await findDelivery(deps.store.records, id.toLowerCase());
  if (!row) throw notFound("This delivery");
  if (row.org_id !== actor.orgId) throw new AppError("wrong_org", "This delivery belongs to another org.");
  return row;
}
