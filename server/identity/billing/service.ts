import { countMembers } from "../../../store/records/members.ts";
import { spendingOf } from "../../../store/records/model-spending.ts";
import { storageTotals } from "../../../store/records/storage.ts";
import { replaysUnderWayOf, usageOf } from "../../../store/records/usage.ts";
import type { Deps } from "../../deps.ts";
import { toIso } from "../../platform/clock.ts";
import { monthOf } from "../../platform/month.ts";
import type { Actor } from "../actor.ts";
import type { Usage } from "./model.ts";

const MINUTE_MS = 60_000;
const TIERS_AND_PINS = 6;
/** Of a cent. */
const MICROCENTS = 1_000_000;

/** What the actor's org uses of what its plan grants. */
export async function showUsage(
  deps: Pick<Deps, "store" | "clock" | "config">,
  { orgId }: Pick<Actor, "orgId">,
): Promise<Usage> {
  const { records } = deps.store;
  const { settings, limits } = deps.config;
  const { since, until } = monthOf(deps.clock.now());
  const counted = await usageOf(records, { orgId, since, until });
  const spent = await spendingOf(records, { org_id: orgId, month: since });
  const kept = await storageTotals(records, orgId, "tier", TIERS_AND_PINS);
  const { reads_per_minute, writes_per_minute, ingests_per_minute } = settings.rate_limits;
  const unlimited = (used: number) => ({ used, limit: null });
  return {
    plan: settings.plan,
    period: { start: toIso(since), end: toIso(until) },
    runs: unlimited(counted.runs),
    run_minutes: unlimited(Math.round((counted.runMs / MINUTE_MS) * 10) / 10),
    ingests: unlimited(counted.ingests),
    debugger_cents: { used: spent / MICROCENTS, limit: settings.debugger.budget_cents_per_month },
    storage_bytes: unlimited(kept.reduce((sum, { bytes }) => sum + bytes, 0)),
    members: unlimited(await countMembers(records, orgId)),
    replays: { used: await replaysUnderWayOf(records, orgId), limit: limits.replaysAtOnce },
    limits: {
      upload_bytes: limits.uploadCapBytes,
      hot_days: limits.hotDays,
      warm_days: limits.warmDays,
      regions: limits.regions,
      least_minutes_between_checks: limits.leastMinutes,
      reads_per_minute,
      writes_per_minute,
      ingests_per_minute,
    },
  };
}
