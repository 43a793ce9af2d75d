import type { Trx } from "../../../store/records/db.ts";
import { handOn, type NoticeRow } from "../../../store/records/notices.ts";
import { channelsTold } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { fanOut } from "../deliveries/fan-out.ts";
import { dueNotices, tellApart } from "../incidents/notices.ts";
import { surroundingsOf } from "../incidents/surroundings.ts";
import { factsOf } from "./facts.ts";

const AT_ONCE = 100;

/**
 * Hands notices whose time has come to the channels. Every server looks: of two that take the same notice one is told that it has
 * it. What a notice says is read in the transaction that takes it, so that it is told as it is then.
 */
export function noticesTask(deps: Deps): PeriodicTask {
  return {
    name: "notices",
    everyMs: 1000,
    of: "server",
    async run() {
      const surroundings = surroundingsOf(deps);
      for (;;) {
        const now = deps.clock.now();
        const due = await dueNotices(deps, surroundings, now, AT_ONCE);
        if (due.length === 0) return;
        for (const notice of due) await tellApart(deps, notice, now, () => take(deps, notice));
      }
    },
  };
}

async function take(deps: Deps, notice: NoticeRow): Promise<void> {
  await commit(deps, async (trx, after) => {
    if (!(await handOn(trx, notice.id, deps.clock.now()))) return;
    await fanOut(deps, trx, after, {
      noticeId: notice.id,
      facts: await factsOf(trx, notice, outsideAddress(deps.config)),
      channels: await channelsFor(trx, notice),
    });
  });
}

/**
 * Ids of the channels that a notice goes to; null for every enabled one. The end of an incident is told where its opening was, whatever
 * the policy names by now.
 */
async function channelsFor(
  trx: Trx,
  { event, incident_id: incidentId, channels }: NoticeRow,
): Promise<string[] | null> {
  if (event === "incident.resolved" && incidentId !== null)
    return channelsTold(trx, { incidentId, event: "incident.opened" });
  return channels === null ? null : (JSON.parse(channels) as string[]);
}
