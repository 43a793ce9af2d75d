import {
  type ChannelRow,
  markBroken,
  markWorking,
  updateChannel,
} from "../../../store/records/notification-channels.ts";
import { type DeliveryRow, settleAttempt } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { type After, commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Facts } from "../channel-types/facts.ts";
import { fanOut } from "./fan-out.ts";

/** The last answer, as a message's row tells it; the attempts too where somebody else makes them. */
export type Told = Pick<DeliveryRow, "last_error"> &
  Partial<Pick<DeliveryRow, "last_status" | "last_answer" | "attempts" | "last_attempt_at">>;

/** How it goes on with a message that did not arrive. */
export type Failed =
  /** `at`: when it is tried next, epoch ms; null when somebody else tries it. `along` is done in the same transaction. */
  | {
      state: "pending";
      at: number | null;
      isBroken: boolean;
      along?: (after: Pick<After, "add">) => Promise<void>;
    }
  /** `isGone`: the receiver says that there is nobody any more, which turns the channel off. */
  | { state: "dead"; isGone: boolean };

/** A message has arrived, so that its channel works. */
export async function noteArrival(
  deps: Deps,
  delivery: DeliveryRow,
  channel: ChannelRow,
  told: Told,
): Promise<void> {
  const now = deps.clock.now();
  count(deps, channel, "delivered");
  await commit(deps, async (trx) => {
    const outcome = { ...told, state: "delivered", next_attempt_at: null, ended_at: now } as const;
    if (await settleAttempt(trx, delivery.id, outcome)) await markWorking(trx, channel.id, now);
  });
}

/** A message did not arrive. A channel over which nothing arrives is told of over those that work, once for as long as it is broken. */
export async function noteFailure(
  deps: Deps,
  delivery: DeliveryRow,
  channel: ChannelRow,
  told: Told,
  failed: Failed,
): Promise<void> {
  const now = deps.clock.now();
  const isDead = failed.state === "dead";
  count(deps, channel, isDead ? "dead" : "failed");
  await commit(deps, async (trx, after) => {
    const isSettled = await settleAttempt(trx, delivery.id, {
      ...told,
      state: failed.state,
      next_attempt_at: isDead ? null : failed.at,
      ended_at: isDead ? now : null,
    });
    if (!isSettled) return;
    if (!isDead) await failed.along?.(after);
    if (isDead && failed.isGone)
      await updateChannel(trx, channel.id, {
        enabled: 0,
        disabled_reason: `The receiver answered with 410 (gone) on ${toIso(now)}.`,
        updated_at: now,
      });
    if (!(isDead || failed.isBroken) || !(await markBroken(trx, channel.id, now))) return;
    await fanOut(deps, trx, after, {
      noticeId: `broken ${delivery.id} ${delivery.attempts}`,
      facts: brokenFacts(deps, delivery, channel, told.last_error ?? ""),
      channels: null,
      besidesBroken: true,
    });
  });
}

/** Ends a message that waits, as one that does not arrive, though its channel is not to blame. */
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

function count({ metrics }: Deps, { type }: ChannelRow, outcome: "delivered" | "failed" | "dead"): void {
  metrics
    .counter("notifications_total", "Attempts at notifications, by what came of them.", [
      "channel",
      "outcome",
    ])
    .inc({ channel: type, outcome });
}
