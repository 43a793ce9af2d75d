import type { SkipReason } from "../../../store/records/check-schema.ts";
import {
  advanceChecks,
  type DueCheck,
  dueChecks,
  firesThatRan,
  insertTickRuns,
  markRun,
  noteSkipped,
  openRunsOf,
  scenariosOf,
  type TickRun,
} from "../../../store/records/check-ticks.ts";
import type { Trx } from "../../../store/records/db.ts";
import { deploymentsOf } from "../../../store/records/deployments.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";
import type { CompiledScenario } from "../../run/language/ast.ts";
import { knownRegions } from "../../run/regions.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { publishRun } from "../../trace/process/completion.ts";
import { comparedRegion } from "../policy.ts";
import { type DueFires, dueFires, type Fires, firesBetween, only } from "./due.ts";
import { followSkip } from "./not-made.ts";
import { compareAtFire } from "./shadows.ts";

/** Checks of one transaction: others that write come in between. */
const CHECKS_AT_ONCE = 1000;

interface Due {
  check: DueCheck;
  fires: DueFires;
}

/**
 * Makes the runs of every check whose fire has come, one per region, and moves the checks on: both in one transaction, nothing else.
 * Whoever else does so at the same time finds the checks moved, and each fire has one run per region.
 * @returns how many runs were made
 */
export async function runDueChecks(deps: Deps, signal?: AbortSignal): Promise<number> {
  let made = 0;
  while (!signal?.aborted) {
    const now = deps.clock.now();
    const checks = await dueChecks(deps.store.records, now, CHECKS_AT_ONCE);
    if (checks.length === 0) break;
    const { moved, runs, skipped } = await commit(deps, (within, after) =>
      tick(deps, within, after, checks, now),
    );
    for (const [reason, ticks] of skipped) skips(deps).inc({ reason }, ticks);
    made += runs;
    // Others are at it.
    if (moved === 0) break;
  }
  return made;
}

async function tick(deps: Deps, within: Trx, after: After, checks: DueCheck[], now: number) {
  const due = await moveOn(within, checks, now);
  const open = await openRunsOf(
    within,
    due.map(({ check }) => check.id),
  );
  const isOpen = new Set(open.map(({ check_id, region }) => `${check_id} ${region}`));
  const scenarios = await readyScenarios(within, due);
  const known = new Set(knownRegions(deps.config.settings));
  const skipped = new Map<SkipReason, number>();
  const runs: TickRun[] = [];

  async function skip({ check, fires }: Due, region: string, reason: SkipReason, which: Fires | null) {
    // What was missed comes before the fire that is dealt with now.
    let before = which || !fires.missed ? check.last_tick_at : fires.missed.last;
    for (const left of await withoutRun(within, { check, region, fires: which ?? only(fires.tick) })) {
      const span = { check_id: check.id, region, reason, first_at: left.first, last_at: left.last };
      await noteSkipped(within, { ...span, ticks: left.ticks, before });
      skipped.set(reason, (skipped.get(reason) ?? 0) + left.ticks);
      before = null;
      await followSkip(deps, within, { check, region, reason }, now);
    }
  }

  for (const one of due) {
    const { check, fires } = one;
    const scenario = scenarios.get(check.scenario_id);
    for (const region of JSON.parse(check.regions) as string[]) {
      if (fires.missed) await skip(one, region, "missed", fires.missed);
      const reason = reasonToSkip({
        hasTarget: scenario?.baseUrl != null,
        isInPlan: known.has(region),
        isOpen: isOpen.has(`${check.id} ${region}`),
      });
      if (reason) await skip(one, region, reason, null);
      else runs.push(runOf(deps, one, scenario!, region));
    }
  }
  const inserted = await insertRuns(within, runs);
  const isNew = new Set(inserted.map(({ id }) => id));
  for (const { check } of due) {
    const place = comparedRegion(check);
    if (place === null || !scenarios.get(check.scenario_id)?.hasClones) continue;
    const run = runs.find(
      ({ id, check_id, region }) => check_id === check.id && region === place && isNew.has(id),
    );
    if (run) await compareAtFire(deps, within, after, run);
  }
  for (const run of inserted) publishRun(after, run);
  return { moved: due.length, runs: inserted.length, skipped };
}

/** Of fires that a check leaves out, those that nobody ran: after the clock went back, some come a second time. */
async function withoutRun(
  within: Trx,
  { check, region, fires }: { check: DueCheck; region: string; fires: Fires },
): Promise<Fires[]> {
  return firesBetween(check, fires, await firesThatRan(within, { checkId: check.id, region, ...fires }));
}

/** Those of the checks that this transaction moves on from the fire that they stood at. */
async function moveOn(within: Trx, checks: DueCheck[], now: number): Promise<Due[]> {
  const due: Due[] = [];
  // Many checks have the same schedule.
  const alike = Map.groupBy(checks, (check) => `${check.next_run_at} ${check.cron} ${check.timezone}`);
  for (const group of alike.values()) {
    const from = group[0]!.next_run_at!;
    const fires = dueFires(group[0]!, now);
    const ids = group.map(({ id }) => id);
    const to = { next: fires?.next ?? null, tick: fires?.tick ?? from };
    const moved = new Set(await advanceChecks(within, { ids, from, ...to }));
    if (fires) for (const check of group) if (moved.has(check.id)) due.push({ check, fires });
  }
  return due;
}

/** What a check runs, made ready once for all that run it. */
interface Ready {
  slug: string;
  baseUrl: string | null;
  hasClones: boolean;
  /** JSON: `RunPlan`. */
  plan: string;
}

async function readyScenarios(within: Trx, due: Due[]): Promise<Map<string, Ready>> {
  const ready = new Map<string, Ready>();
  const orgs = new Map(due.map(({ check }) => [check.scenario_id, check.org_id]));
  const commitAt = await deployedCommits(within, [...new Set(orgs.values())]);
  for (const { id, slug, compiled, source } of (await scenariosOf(within, [...orgs.keys()])).values()) {
    const scenario = compiled === null ? null : (JSON.parse(compiled) as CompiledScenario);
    const code_sha = commitAt(orgs.get(id)!, scenario?.base_url ?? null);
    const plan: RunPlan | null = scenario && { scenario, source, ...(code_sha && { code_sha }) };
    const hasClones = (scenario?.clones.length ?? 0) > 0;
    ready.set(id, { slug, baseUrl: scenario?.base_url ?? null, hasClones, plan: JSON.stringify(plan) });
  }
  return ready;
}

/** Which commit runs at an address of an org, as far as somebody said. */
async function deployedCommits(within: Trx, orgIds: string[]) {
  const rows = await deploymentsOf(within, orgIds);
  const known = new Map(rows.map(({ org_id, origin, commit_sha }) => [`${org_id} ${origin}`, commit_sha]));
  return (orgId: string, url: string | null): string | undefined =>
    known.size === 0 || url === null ? undefined : known.get(`${orgId} ${URL.parse(url)?.origin}`);
}

function reasonToSkip(of: { hasTarget: boolean; isInPlan: boolean; isOpen: boolean }): SkipReason | null {
  if (!of.hasTarget) return "no_target";
  if (!of.isInPlan) return "not_in_plan";
  return of.isOpen ? "overlap" : null;
}

function runOf(deps: Deps, { check, fires }: Due, scenario: Ready, region: string): TickRun {
  return {
    id: deps.ids.uuid(),
    org_id: check.org_id,
    type: "schedule",
    status: "queued",
    scenario_id: check.scenario_id,
    scenario_slug: scenario.slug,
    region,
    base_url: scenario.baseUrl!,
    trigger: fires.isCatchUp ? "catch_up" : "schedule",
    plan: scenario.plan,
    scheduled_at: fires.tick,
    check_id: check.id,
    attempt: 1,
  };
}

/** A fire that was run before is not run again: after the clock went back it comes a second time. */
async function insertRuns(within: Trx, runs: TickRun[]) {
  const inserted = await insertTickRuns(within, runs);
  const isNew = new Set(inserted.map(({ id }) => id));
  const ran = Map.groupBy(
    runs.filter(({ id }) => isNew.has(id)),
    ({ scheduled_at }) => scheduled_at,
  );
  for (const [at, some] of ran) await markRun(within, [...new Set(some.map(({ check_id }) => check_id))], at);
  return inserted;
}

function skips({ metrics }: Pick<Deps, "metrics">) {
  const help = "Fires of checks without a run, by why: missed, overlap, no_target, not_in_plan.";
  return metrics.counter("ticks_skipped_total", help, ["reason"]);
}
