import {
  findInbound,
  type InboundRow,
  listInbound,
  reopenInbound,
} from "../../../store/records/inbound-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { readIdCursor, writeIdCursor } from "../../http/cursors.ts";
import { AppError, conflict, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { EventName } from "../webhooks/events.ts";
import { queueOf } from "../webhooks/kinds.ts";
import { type InboundDelivery, type InboundListQuery, toInbound } from "./model.ts";

type InboundDeps = CommitDeps & Pick<Deps, "store" | "clock">;

/** One page of what the code host told, newest first. @throws AppError for a cursor that this list did not give out */
export async function showInbound(
  deps: InboundDeps,
  actor: Actor,
  query: InboundListQuery,
): Promise<{ items: InboundDelivery[]; next_cursor: string | null }> {
  const limit = query.limit ?? 50;
  const rows = await listInbound(deps.store.records, {
    orgId: actor.orgId,
    limit: limit + 1,
    state: query.state,
    before: query.cursor === undefined ? undefined : readIdCursor(query.cursor),
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items: page.map(toInbound), next_cursor: last ? writeIdCursor(last.id) : null };
}

/**
 * Has a delivery that has ended handled again, whatever its age and although its id was seen.
 * @throws AppError `not_found`, `wrong_org`, `conflict` for one that still waits, or that holds nothing to handle
 */
export async function replayInbound(deps: InboundDeps, actor: Actor, id: string): Promise<InboundDelivery> {
  const row = await requireInbound(deps, actor, id);
  if (row.payload === null)
    throw conflict(
      "This delivery holds nothing to handle: its outcome says why. Have the code host send it again.",
    );
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    if (!(await reopenInbound(trx, id, now)))
      throw conflict("This delivery has not ended: it is still being handled.");
    const dedupeKey = `${id} ${row.replays + 1}`;
    await after.add({ kind: queueOf(row.event as EventName), payload: { delivery_id: id }, dedupeKey });
    await auditAct(trx, actor, {
      ...{ at: now, action: "inbound_delivery.replay", target: id },
      detail: { event: row.event, guid: row.guid, state: row.state },
    });
  });
  return toInbound(await requireInbound(deps, actor, id));
}

async function requireInbound(deps: InboundDeps, actor: Actor, id: string): Promise<InboundRow> {
  const row = await findInbound(deps.store.records, id);
  if (!row) throw notFound("This delivery");
  if (row.org_id !== actor.orgId) throw new AppError("wrong_org", "This delivery belongs to another org.");
  return row;
}
