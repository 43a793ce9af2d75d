import { changeCheck, findCheckOfFile, insertCheck, MAX_CHECKS } from "../../../store/records/checks.ts";
import type { Trx } from "../../../store/records/db.ts";
import type { Deps } from "../../deps.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { nextFire } from "../language/fires.ts";

/**
 * Keeps the check of a scenario file as the file says. A new one is off until somebody switches it on, which needs a preflight. What
 * people changed of it holds until the file's own schedule changes; a file that has none any more has its check switched off.
 * @param known.before the scenario as it was; null for a new one
 */
export async function syncSchedule(
  { ids, clock }: Pick<Deps, "ids" | "clock">,
  within: Trx,
  known: {
    orgId: string;
    scenarioId: string;
    scenario: Pick<CompiledScenario, "schedule">;
    before: Pick<CompiledScenario, "schedule"> | null;
  },
): Promise<void> {
  const { schedule } = known.scenario;
  const check = await findCheckOfFile(within, known.scenarioId);
  const now = clock.now();
  if (!schedule) {
    if (check?.enabled === 1)
      await changeCheck(within, check.id, { enabled: 0, next_run_at: null, updated_at: now });
    return;
  }
  const says = {
    cron: schedule.cron,
    timezone: schedule.timezone,
    regions: JSON.stringify(schedule.regions),
    shadow_prod: schedule.shadow_prod ? 1 : 0,
  };
  if (!check) {
    await insertCheck(
      within,
      {
        id: ids.uuid(),
        org_id: known.orgId,
        scenario_id: known.scenarioId,
        origin: "file",
        ...says,
        alert_policy: "{}",
        enabled: 0,
        paused_at: null,
        paused_until: null,
        paused_by: null,
        next_run_at: null,
        last_run_at: null,
        last_tick_at: null,
        counts_from: now,
        created_at: now,
        updated_at: now,
      },
      MAX_CHECKS,
    );
    return;
  }
  if (JSON.stringify(known.before?.schedule) === JSON.stringify(schedule)) return;
  const from = Math.max(now, (check.paused_until ?? 0) - 1);
  const next_run_at = check.enabled === 1 ? nextFire(schedule, from) : null;
  await changeCheck(within, check.id, { ...says, next_run_at, updated_at: now });
}
