import { fromIso } from "../../platform/clock.ts";
import { Anything, HookDeliveries } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { type CodeHost, CodeHostError } from "./types.ts";

/** 2,000 deliveries. */
const MOST_PAGES = 20;

/** What the host sent to the app's webhook: https://docs.github.com/rest/apps/webhooks */
export function hookDeliveries(host: Connection): Pick<CodeHost, "deliveriesSince" | "redeliver"> {
  return {
    async deliveriesSince(since) {
      if (!host.isApp) return [];
      const timeOf = ({ delivered_at: at }: { delivered_at: string }) => fromIso(at) ?? 0;
      // The host lists them newest first.
      const pages = await host.pages("GET /app/hook/deliveries", {}, HookDeliveries, {
        as: "app",
        mostPages: MOST_PAGES,
        isEnough: (page) => page.some((one) => timeOf(one) < since),
      });
      return pages
        .flat()
        .filter((one) => timeOf(one) >= since)
        .map((one) => ({
          id: String(one.id),
          guid: one.guid,
          event: one.event,
          deliveredAt: timeOf(one),
          isRedelivery: one.redelivery,
          status: one.status_code,
        }))
        .toReversed();
    },
    async redeliver(id) {
      if (!/^\d{1,20}$/.test(id)) throw new CodeHostError("not_found", "A delivery's id is digits.");
      await host.call("POST /app/hook/deliveries/{delivery_id}/attempts", { delivery_id: id }, Anything, {
        as: "app",
      });
    },
  };
}
