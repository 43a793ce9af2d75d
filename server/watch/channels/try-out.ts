import { findOrg } from "../../../store/records/identity.ts";
import { findDelivery } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { conflict } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Facts } from "../channel-types/facts.ts";
import { addDelivery } from "../deliveries/fan-out.ts";
import { type Delivery, toDelivery } from "../deliveries/model.ts";
import { requireChannel } from "./service.ts";

/**
 * Sends a test message through the outbox.
 * @throws AppError `not_found`, `wrong_org`, `conflict` for a channel that is disabled
 */
export async function testChannel(deps: Deps, actor: Actor, id: string): Promise<Delivery> {
  const channel = await requireChannel(deps, actor, id);
  if (channel.enabled === 0) throw conflict("This channel is disabled: enable it first.");
  const org = await findOrg(deps.store.records, actor.orgId);
  const now = deps.clock.now();
  const facts: Facts = {
    event: "test",
    orgId: actor.orgId,
    incidentId: "",
    scenarioSlug: "",
    region: "",
    runId: "",
    failureSignature: "",
    traceUrl: "",
    timestamp: toIso(now),
    title: `This is a test: notifications of ${org?.name ?? "Tracedeck"} arrive here`,
    cause: "",
    severity: "info",
    url: `${outsideAddress(deps.config)}/settings/notifications`,
    since: "",
  };
  const deliveryId = await commit(deps, async (trx, after) => {
    await auditAct(trx, actor, { at: now, action: "channel.test", target: channel.id, detail: {} });
    return addDelivery(deps, trx, after, channel, { noticeId: `test ${deps.ids.uuid()}`, facts });
  });
  return toDelivery((await findDelivery(deps.store.records, deliveryId!))!);
}
