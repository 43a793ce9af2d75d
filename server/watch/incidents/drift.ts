import { scenariosOf } from "../../../store/records/check-ticks.ts";
import { type CheckRow, listChecks } from "../../../store/records/checks.ts";
import type { Db } from "../../../store/records/db.ts";
import type { CompiledScenario } from "../../run/language/ast.ts";
import { comparedRegion, policyOf } from "../policy.ts";

/** Checks of one scenario that are asked. */
const MOST_CHECKS = 200;

/**
 * Whether a check that is on looks for drift of a scenario in a region, and can: the scenario has clones, and it is the region in which
 * the check compares. Where none does, no comparison would end a drift.
 */
export async function isDriftWatched(
  db: Db,
  { orgId, scenarioId, region }: { orgId: string; scenarioId: string; region: string },
): Promise<boolean> {
  const looks = (check: CheckRow) => comparedRegion(check) === region && policyOf(check).shadow_diff;
  const checks = await listChecks(db, { orgId, scenarioId, isEnabled: true, limit: MOST_CHECKS });
  if (!checks.some(looks)) return false;
  const compiled = (await scenariosOf(db, [scenarioId])).get(scenarioId)?.compiled ?? null;
  return compiled !== null && (JSON.parse(compiled) as CompiledScenario).clones.length > 0;
}
