import type { Trx } from "../../../store/records/db.ts";
import { channelsOf } from "../../../store/records/notification-channels.ts";
import { invalid } from "../../http/errors.ts";
import type { GivenPolicy } from "../policy.ts";

/**
 * A policy as it is stored, JSON. A channel that it names has to be there, since a slip would tell nobody; one that was removed since it
 * was named may stay.
 * @param before the policy that it replaces, JSON
 * @throws AppError `validation_failed` naming a channel that the org does not have
 */
export async function storedPolicy(
  within: Trx,
  orgId: string,
  given: GivenPolicy,
  before = "{}",
): Promise<string> {
  if (!given.channels) return JSON.stringify(given);
  const channels = given.channels.map((id) => id.toLowerCase());
  const own = await channelsOf(within, orgId);
  const known = new Set([
    ...own.map(({ id }) => id),
    ...((JSON.parse(before) as GivenPolicy).channels ?? []),
  ]);
  const unknown = channels.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw invalid(
      `The body's field "alert_policy.channels": there is no notification channel ${unknown}; GET /v1/notification-channels lists them.`,
    );
  return JSON.stringify({ ...given, channels });
}
