import type { Trx } from "../../../store/records/db.ts";
import { type ChannelRow, channelsOf } from "../../../store/records/notification-channels.ts";
import { insertDelivery } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import type { Facts } from "../channel-types/facts.ts";
import { DELIVER } from "./kinds.ts";

/** Something to tell. */
export interface Telling {
  /** What caused it: however often it is handed over, a channel gets one message for it. */
  noticeId: string;
  facts: Facts;
  /** Ids of channels; null for every enabled one. Those that are disabled or gone are left out. */
  channels: readonly string[] | null;
  /** Leaves out channels over which nothing arrives: what tells of one must not fail over the next and tell of that. */
  besidesBroken?: boolean;
}

/**
 * Puts one message for each channel into the outbox, in the transaction that decides on it, and has them sent once that is in.
 * @returns how many there are
 */
export async function fanOut(
  deps: Pick<Deps, "clock" | "ids">,
  trx: Trx,
  after: Pick<After, "add">,
  { noticeId, facts, channels, besidesBroken = false }: Telling,
): Promise<number> {
  const all = await channelsOf(trx, facts.orgId);
  const meant = all.filter(
    ({ id, enabled, broken_since }) =>
      enabled === 1 &&
      (channels === null || channels.includes(id)) &&
      !(besidesBroken && broken_since !== null),
  );
  let count = 0;
  for (const channel of meant) if (await addDelivery(deps, trx, after, channel, { noticeId, facts })) count++;
  return count;
}

/** One message to one channel. @returns its id; null when the channel has one for that notice */
export async function addDelivery(
  { clock, ids }: Pick<Deps, "clock" | "ids">,
  trx: Trx,
  after: Pick<After, "add">,
  channel: ChannelRow,
  { noticeId, facts }: Pick<Telling, "noticeId" | "facts">,
): Promise<string | null> {
  const now = clock.now();
  const id = ids.uuid();
  const isNew = await insertDelivery(trx, {
    id,
    org_id: channel.org_id,
    channel_id: channel.id,
    channel_type: channel.type,
    channel_name: channel.name,
    notice_id: noticeId,
    event: facts.event,
    incident_id: facts.incidentId === "" ? null : facts.incidentId,
    facts: JSON.stringify(facts),
    next_attempt_at: now,
    created_at: now,
  });
  if (!isNew) return null;
  await after.add({ kind: DELIVER, payload: { delivery_id: id }, dedupeKey: id, lane: channel.id });
  return id;
}
