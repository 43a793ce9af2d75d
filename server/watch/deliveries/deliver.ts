import {
  type ChannelRow,
  findChannel,
  markBroken,
  markWorking,
  updateChannel,
} from "../../../store/records/notification-channels.ts";
import {
  beginAttempt,
  type DeliveryRow,
  findDelivery,
  hasDelivery,
  settleAttempt,
} from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { queueMail } from "../../identity/mail/queue.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import type { JobContext } from "../../jobs/types.ts";
import { toIso } from "../../platform/clock.ts";
import { NetError } from "../../platform/net.ts";
import type { Facts } from "../channel-types/facts.ts";
import { CHANNEL_KINDS } from "../channel-types/kinds.ts";
import { openTarget } from "../channel-types/sealed.ts";
import type { ChannelType, Outgoing } from "../channel-types/types.ts";
import { fanOut } from "./fan-out.ts";
import { DELIVER } from "./kinds.ts";
import { type Answer, nextAfter } from "./retry.ts";

/** How long a receiver may take (decisions, section 7). */
const PATIENCE_MS = 15_000;
const KEPT_ANSWER = 1000;

/** An attempt and what is told of it. */
interface Tried extends Answer {
  error: string | null;
  text: string | null;
  /** What is to be queued in the transaction that notes the attempt. */
  mail?: Extract<Outgoing, { kind: "mail" }>;
}

/**
 * Makes one attempt at one message, and says when the next one is. It may be made twice when the process is killed between the
 * answer and its note; the message has the same id then.
 */
export async function deliver(
  deps: Deps,
  deliveryId: string,
  context: Pick<JobContext, "signal">,
): Promise<void> {
  const { records } = deps.store;
  const begun = deps.clock.now();
  if (!(await beginAttempt(records, deliveryId, begun))) return;
  const delivery = (await findDelivery(records, deliveryId))!;
  const channel = await findChannel(records, delivery.channel_id);
  const reason = channel ? await whyNot(deps, delivery, channel) : "The channel was removed.";
  if (!channel || reason !== null) return giveUp(deps, deliveryId, reason ?? "");
  const tried = await attempt(deps, delivery, channel, context.signal);
  if (context.signal.aborted && tried.status === null) return again(deps, delivery, tried, begun);
  await settle(deps, delivery, channel, tried);
}

/** Why a message is not sent any more; null when it is. */
async function whyNot(deps: Deps, delivery: DeliveryRow, channel: ChannelRow): Promise<string | null> {
  if (channel.enabled === 0) return channel.disabled_reason ?? "The channel was disabled.";
  const { incident_id: incidentId, event, attempts } = delivery;
  if (event !== "incident.opened" || incidentId === null || attempts === 1) return null;
  const key = { channelId: channel.id, incidentId, event: "incident.resolved" };
  const isOver = await hasDelivery(deps.store.records, key);
  return isOver ? "The incident ended before this arrived: the message of its end tells both times." : null;
}

async function attempt(
  deps: Deps,
  delivery: DeliveryRow,
  channel: ChannelRow,
  stopping: AbortSignal,
): Promise<Tried> {
  const target = openTarget(deps.vault, channel);
  if (!target)
    return failed("The channel's address cannot be read: signing.key was replaced. Make the channel anew.");
  const facts = JSON.parse(delivery.facts) as Facts;
  const outgoing = CHANNEL_KINDS[channel.type as ChannelType].compose(target, facts, {
    id: delivery.id,
    at: deps.clock.now(),
  });
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

async function send({ net }: Deps, outgoing: Outgoing, signal: AbortSignal): Promise<Tried> {
  // The outbox of mail sends it, and tries again by itself.
  if (outgoing.kind === "mail")
    return { status: 202, retryAfter: null, error: null, text: null, mail: outgoing };
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
  const next = nextAfter(tried, {
    tries: delivery.attempts - delivery.earlier_attempts,
    waits: deps.config.settings.notifications.retry_seconds,
    now,
    isHopeless: CHANNEL_KINDS[channel.type as ChannelType].isHopeless,
  });
  count(deps, channel, next.kind);
  if (next.kind === "later") return again(deps, delivery, tried, now + next.afterMs);
  const isDelivered = next.kind === "delivered";
  await commit(deps, async (trx, after) => {
    const isSettled = await settleAttempt(trx, delivery.id, {
      ...told(tried),
      state: next.kind,
      next_attempt_at: null,
      ended_at: now,
    });
    if (!isSettled) return;
    if (tried.mail)
      await queueMail(deps, trx, after, { ...tried.mail, orgId: delivery.org_id, kind: "notification" });
    if (isDelivered) return markWorking(trx, channel.id, now);
    if (next.disables)
      await updateChannel(trx, channel.id, {
        enabled: 0,
        disabled_reason: `The receiver answered with 410 (gone) on ${toIso(now)}.`,
        updated_at: now,
      });
    // Once for as long as it is broken, and over those that work.
    if (!(await markBroken(trx, channel.id, now))) return;
    const facts = brokenFacts(deps, delivery, channel, tried.error ?? "");
    await fanOut(deps, trx, after, {
      noticeId: `broken ${delivery.id}`,
      facts,
      channels: null,
      besidesBroken: true,
    });
  });
}

const told = ({ status, error, text }: Tried) => ({
  last_status: status,
  last_error: error,
  last_answer: text,
});

/** The message waits for its next attempt. */
async function again(deps: Deps, delivery: DeliveryRow, tried: Tried, at: number): Promise<void> {
  await commit(deps, async (trx, after) => {
    const outcome = { ...told(tried), state: "pending", next_attempt_at: at, ended_at: null } as const;
    if (!(await settleAttempt(trx, delivery.id, outcome))) return;
    // The job of this attempt still runs, under the message's own key.
    const dedupeKey = `${delivery.id} ${delivery.attempts}`;
    await after.add({
      ...{ kind: DELIVER, payload: { delivery_id: delivery.id }, dedupeKey },
      ...{ lane: delivery.channel_id, runAt: at },
    });
  });
}

/** Ends a message that waits, as one that does not arrive. */
export async function giveUp(
  { store, clock }: Pick<Deps, "store" | "clock">,
  id: string,
  reason: string,
): Promise<void> {
  await settleAttempt(store.records, id, {
    state: "dead",
    next_attempt_at: null,
    last_error: reason,
    ended_at: clock.now(),
  });
}

function brokenFacts(deps: Deps, delivery: DeliveryRow, channel: ChannelRow, error: string): Facts {
  const { orgId, scenarioSlug, region } = JSON.parse(delivery.facts) as Facts;
  return {
    event: "channel.broken",
    orgId,
    incidentId: "",
    scenarioSlug,
    region,
    runId: "",
    failureSignature: "",
    traceUrl: "",
    timestamp: toIso(deps.clock.now()),
    title: `Nothing arrives over the notification channel “${channel.name}” any more`,
    cause: error,
    severity: "warning",
    url: `${outsideAddress(deps.config)}/settings/notifications`,
    since: "",
  };
}

function count({ metrics }: Deps, { type }: ChannelRow, outcome: "delivered" | "later" | "dead"): void {
  metrics
    .counter("notifications_total", "Attempts at notifications, by what came of them.", [
      "channel",
      "outcome",
    ])
    .inc({ channel: type, outcome: outcome === "later" ? "failed" : outcome });
}
