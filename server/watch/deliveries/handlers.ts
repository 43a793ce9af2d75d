import { pruneDeliveries } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import type { MailNews } from "../../identity/mail/queue.ts";
import type { JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { followMail } from "./by-mail.ts";
import { deliver } from "./deliver.ts";
import { DELIVER, MAIL_TRIED } from "./kinds.ts";
import { giveUp } from "./outcome.ts";

/** They wait for answers of others. Those of one channel are its lane, so that so many may hang before anybody else waits. */
const AT_ONCE = 64;
const OF_ONE_CHANNEL = 2;
const DAY_MS = 24 * 60 * 60_000;
/** How long one can see what was told. */
const KEPT_DAYS = 90;
const PRUNED_AT_ONCE = 1000;

/** Jobs that send what waits in the outbox. */
export function deliveryHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: DELIVER,
      apart: { atMost: AT_ONCE, perLane: OF_ONE_CHANNEL },
      handle: ({ delivery_id }, context) => deliver(deps, String(delivery_id), context),
      onDead: ({ delivery_id }, error) => giveUp(deps, String(delivery_id), `The server failed: ${error}`),
    },
    {
      kind: MAIL_TRIED,
      handle: ({ delivery_id, ...news }) =>
        followMail(deps, String(delivery_id), news as unknown as MailNews),
      onDead: ({ delivery_id }, error) => giveUp(deps, String(delivery_id), `The server failed: ${error}`),
    },
  ];
}

/** Removes what was told long ago. */
export function pruneDeliveriesTask({ store, clock }: Pick<Deps, "store" | "clock">): PeriodicTask {
  return {
    name: "deliveries.prune",
    everyMs: 60 * 60_000,
    of: "store",
    async run() {
      const before = clock.now() - KEPT_DAYS * DAY_MS;
      // A transaction each, so that nobody waits long.
      while ((await pruneDeliveries(store.records, before, PRUNED_AT_ONCE)) === PRUNED_AT_ONCE);
    },
  };
}
