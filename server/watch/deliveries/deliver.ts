import { type ChannelRow, findChannel } from "../../../store/records/notification-channels.ts";
import {
  beginAttempt,
  type DeliveryRow,
  findDelivery,
  hasDelivery,
  settleAttempt,
} from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { JobContext, NewJob } from "../../jobs/types.ts";
import { NetError } from "../../platform/net.ts";
import type { Facts } from "../channel-types/facts.ts";
import { CHANNEL_KINDS } from "../channel-types/kinds.ts";
import { openTarget } from "../channel-types/sealed.ts";
import type { ChannelType, Outgoing } from "../channel-types/types.ts";
import { handToMail } from "./by-mail.ts";
import { DELIVER } from "./kinds.ts";
import { giveUp, noteArrival, noteFailure, type Told } from "./outcome.ts";
import { type Answer, isBrokenAfter, nextAfter } from "./retry.ts";

/** How long a receiver may take (decisions, section 7). */
const PATIENCE_MS = 15_000;
const KEPT_ANSWER = 1000;

/** An attempt and what is told of it. */
interface Tried extends Answer {
  error: string | null;
  text: string | null;
}

/**
 * Makes one attempt at one message, and says when the next one is. It may be made twice when the process is killed between the
 * answer and its note; the message has the same id then.
 */
export async function deliver(
  deps: Deps,
  deliveryId: string,
  context: Pick<JobContext, "signal" | "id">,
): Promise<void> {
  const { records } = deps.store;
  const begun = deps.clock.now();
  if (!(await beginAttempt(records, deliveryId, begun))) return comeAgain(deps, deliveryId, begun, context);
  const delivery = (await findDelivery(records, deliveryId))!;
  const channel = await findChannel(records, delivery.channel_id);
  const reason = channel ? await whyNot(deps, delivery, channel) : "The channel was removed.";
  if (!channel || reason !== null) return giveUp(deps, deliveryId, reason ?? "");
  const outgoing = compose(deps, delivery, channel);
  if (outgoing?.kind === "mail") return handToMail(deps, delivery, outgoing);
  const tried = outgoing ? await attempt(deps, outgoing, context.signal) : failed(UNREADABLE);
  if (context.signal.aborted && tried.status === null) return again(deps, delivery, tried, begun);
  await settle(deps, delivery, channel, tried);
}

/**
 * A job that comes before the message is due leaves another for then: the clock went back in between, and it may be the only one. Of two
 * that come at the same time one finds that the other has made the attempt.
 */
async function comeAgain(
  deps: Deps,
  deliveryId: string,
  now: number,
  { id: jobId }: Pick<JobContext, "id">,
): Promise<void> {
  const delivery = await findDelivery(deps.store.records, deliveryId);
  const at = delivery?.next_attempt_at ?? now;
  if (delivery?.state !== "pending" || at <= now) return;
  await commit(deps, (_, after) => after.add({ ...nextAttempt(delivery, at), dedupeKey: `after ${jobId}` }));
}

/** Why a message is not sent any more; null when it is. */
async function whyNot(deps: Deps, delivery: DeliveryRow, channel: ChannelRow): Promise<string | null> {
  if (channel.enabled === 0) return channel.disabled_reason ?? "The channel was disabled.";
  const { incident_id: incidentId, event, attempts, earlier_attempts } = delivery;
  if (event !== "incident.opened" || incidentId === null || attempts === 1) return null;
  // Somebody asked for it to be sent again, and knows that it is old.
  if (earlier_attempts > 0) return null;
  const key = { channelId: channel.id, incidentId, event: "incident.resolved" };
  const isOver = await hasDelivery(deps.store.records, key);
  return isOver ? "The incident ended before this arrived: the message of its end tells both times." : null;
}

const UNREADABLE = "The channel's address cannot be read: signing.key was replaced. Make the channel anew.";

/** What goes over the wire; null when nobody knows where to. */
function compose(deps: Deps, delivery: DeliveryRow, channel: ChannelRow): Outgoing | null {
  const target = openTarget(deps.vault, channel);
  if (!target) return null;
  const facts = JSON.parse(delivery.facts) as Facts;
  const now = deps.clock.now();
  return CHANNEL_KINDS[channel.type as ChannelType].compose(target, facts, { id: delivery.id, at: now });
}

type Post = Extract<Outgoing, { kind: "request" }>;

async function attempt(deps: Deps, outgoing: Post, stopping: AbortSignal): Promise<Tried> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await send(deps, outgoing, AbortSignal.any([late, stopping]));
  } catch (error) {
    if (late.aborted) return failed(`There was no answer within ${PATIENCE_MS / 1000} s.`);
    if (stopping.aborted) return failed("The server stopped.");
    if (error instanceof NetError) return failed(error.message);
    throw error;
  }
}

const failed = (error: string): Tried => ({ status: null, retryAfter: null, error, text: null });

async function send({ net }: Deps, outgoing: Post, signal: AbortSignal): Promise<Tried> {
  const { status, headers, text } = await net.post(outgoing.url, {
    headers: { "user-agent": "Tracedeck", ...outgoing.headers },
    body: outgoing.body,
    signal,
    maxBytes: KEPT_ANSWER * 4,
  });
  const isGood = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  return {
    status,
    retryAfter: headers.get("retry-after"),
    text: text.slice(0, KEPT_ANSWER),
    error: isGood
      ? null
      : `The receiver answered with ${status}${isRedirect ? ", which is not followed: give the final address" : ""}.`,
  };
}

async function settle(deps: Deps, delivery: DeliveryRow, channel: ChannelRow, tried: Tried): Promise<void> {
  const now = deps.clock.now();
  const tries = delivery.attempts - delivery.earlier_attempts;
  const next = nextAfter(tried, {
    tries,
    waits: deps.config.settings.notifications.retry_seconds,
    now,
    isHopeless: CHANNEL_KINDS[channel.type as ChannelType].isHopeless,
  });
  if (next.kind === "delivered") return noteArrival(deps, delivery, channel, told(tried));
  if (next.kind === "dead")
    return noteFailure(deps, delivery, channel, told(tried), { state: "dead", isGone: next.disables });
  const at = now + next.afterMs;
  await noteFailure(deps, delivery, channel, told(tried), {
    state: "pending",
    at,
    isBroken: isBrokenAfter(tried, tries),
    along: (after) => after.add(nextAttempt(delivery, at)),
  });
}

const told = ({ status, error, text }: Tried): Told => ({
  last_status: status,
  last_error: error,
  last_answer: text,
});

/** The server stopped while the receiver was asked: the message is sent when it is there again. */
async function again(deps: Deps, delivery: DeliveryRow, tried: Tried, at: number): Promise<void> {
  await commit(deps, async (trx, after) => {
    const outcome = { ...told(tried), state: "pending", next_attempt_at: at, ended_at: null } as const;
    if (await settleAttempt(trx, delivery.id, outcome)) await after.add(nextAttempt(delivery, at));
  });
}

const nextAttempt = ({ id, attempts, channel_id }: DeliveryRow, runAt: number): NewJob => ({
  kind: DELIVER,
  payload: { delivery_id: id },
  // The job of this attempt still runs, under the message's own key.
  dedupeKey: `${id} ${attempts}`,
  lane: channel_id,
  runAt,
});
