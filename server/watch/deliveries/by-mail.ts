import { type ChannelRow, findChannel } from "../../../store/records/notification-channels.ts";
import { type DeliveryRow, findDelivery, settleAttempt } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { type MailNews, queueMail } from "../../identity/mail/queue.ts";
import { commit } from "../../jobs/commit.ts";
import type { Outgoing } from "../channel-types/types.ts";
import { MAIL_TRIED } from "./kinds.ts";
import { giveUp, noteArrival, noteFailure } from "./outcome.ts";
import { isBrokenAfter } from "./retry.ts";

const NO_SERVER =
  "There is no mail server in settings.json (notifications.smtp): the mail is only to be read under Settings, Outbox.";

/** Gives a message to the outbox of mail, which sends it and tries again by itself. It waits here until that says what came of it. */
export async function handToMail(
  deps: Deps,
  delivery: DeliveryRow,
  mail: Extract<Outgoing, { kind: "mail" }>,
): Promise<void> {
  const { id, org_id: orgId } = delivery;
  await commit(deps, async (trx, after) => {
    const waits = { state: "pending", next_attempt_at: null, last_error: null, ended_at: null } as const;
    if (!(await settleAttempt(trx, id, waits))) return;
    const follower = { kind: MAIL_TRIED, payload: { delivery_id: id } };
    await queueMail(deps, trx, after, { ...mail, orgId, kind: "notification", follower });
  });
}

/** What came of an attempt at a message's mail. News of one that has ended, or of a removed channel, change nothing. */
export async function followMail(deps: Deps, deliveryId: string, news: MailNews): Promise<void> {
  const { records } = deps.store;
  const delivery = await findDelivery(records, deliveryId);
  if (delivery?.state !== "pending") return;
  const channel: ChannelRow | undefined = await findChannel(records, delivery.channel_id);
  if (!channel) return giveUp(deps, deliveryId, "The channel was removed.");
  const { state, attempts, error } = news;
  // The first was counted when the mail was handed over. News may come twice, and late.
  const tried = delivery.earlier_attempts + attempts;
  const counted = tried > delivery.attempts ? { attempts: tried, last_attempt_at: deps.clock.now() } : {};
  if (state === "sent") return noteArrival(deps, delivery, channel, { ...counted, last_error: null });
  const told = { ...counted, last_error: state === "waiting" ? NO_SERVER : error };
  if (state !== "queued") return noteFailure(deps, delivery, channel, told, { state: "dead", isGone: false });
  const isBroken = isBrokenAfter({ status: null }, attempts);
  await noteFailure(deps, delivery, channel, told, { state: "pending", at: null, isBroken });
}
