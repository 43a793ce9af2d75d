import type { SkipReason } from "../../../store/records/check-schema.ts";
import {
  advanceCheck,
  type DueCheck,
  dueChecks,
  insertTickRuns,
  markRun,
  noteSkipped,
  openRunsOf,
  type TickRun,
} from "../../../store/records/check-ticks.ts";
import type { Trx } from "../../../store/records/db.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";
import type { CompiledScenario } from "../../run/language/ast.ts";
import { knownRegions } from "../../run/regions.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { publishRun } from "../../trace/process/completion.ts";
import { type DueFires, dueFires } from "./due.ts";

/** Checks of one transaction: others that write come in between. */
const CHECKS_AT_ONCE = 200;
const RUNS_AT_ONCE = 200;

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
  const known = new Set(knownRegions(deps.config.settings));
  const skipped = new Map<SkipReason, number>();
  const runs: TickRun[] = [];

  async function skip({ check, fires }: Due, region: string, reason: SkipReason, which: DueFires["missed"]) {
    const { first, last, ticks } = which ?? { first: fires.tick, last: fires.tick, ticks: 1 };
    const span = { check_id: check.id, region, reason, first_at: first, last_at: last, ticks };
    // What was missed comes before the fire that is dealt with now.
    const before = which || !fires.missed ? check.last_tick_at : fires.missed.last;
    await noteSkipped(within, { ...span, before });
    skipped.set(reason, (skipped.get(reason) ?? 0) + ticks);
  }

  for (const one of due) {
    const { check, fires } = one;
    const scenario = check.compiled === null ? null : (JSON.parse(check.compiled) as CompiledScenario);
    for (const region of JSON.parse(check.regions) as string[]) {
      if (fires.missed) await skip(one, region, "missed", fires.missed);
      const reason = reasonToSkip({
        hasTarget: scenario?.base_url != null,
        isInPlan: known.has(region),
        isOpen: isOpen.has(`${check.id} ${region}`),
      });
      if (reason) await skip(one, region, reason, null);
      else runs.push(runOf(deps, one, scenario!, region));
    }
  }
  const inserted = await insertRuns(within, runs);
  for (const run of inserted) publishRun(after, run);
  return { moved: due.length, runs: inserted.length, skipped };
}

/** Those of the checks that this transaction moves on from the fire that they stood at. */
async function moveOn(within: Trx, checks: DueCheck[], now: number): Promise<Due[]> {
  const due: Due[] = [];
  const known = new Map<string, DueFires | null>();
  for (const check of checks) {
    // Many checks have the same schedule.
    const key = `${check.next_run_at} ${check.cron} ${check.timezone}`;
    const fires = known.get(key) ?? dueFires(check, now);
    known.set(key, fires);
    const from = check.next_run_at!;
    const to = { next: fires?.next ?? null, tick: fires?.tick ?? from };
    if ((await advanceCheck(within, { id: check.id, from, ...to })) && fires) due.push({ check, fires });
  }
  return due;
}

function reasonToSkip(of: { hasTarget: boolean; isInPlan: boolean; isOpen: boolean }): SkipReason | null {
  if (!of.hasTarget) return "no_target";
  if (!of.isInPlan) return "not_in_plan";
  return of.isOpen ? "overlap" : null;
}

function runOf(deps: Deps, { check, fires }: Due, scenario: CompiledScenario, region: string): TickRun {
  const plan: RunPlan = { scenario, source: check.source };
  return {
    id: deps.ids.uuid(),
    org_id: check.org_id,
    type: "schedule",
    status: "queued",
    scenario_id: check.scenario_id,
    scenario_slug: check.slug,
    region,
    base_url: scenario.base_url,
    trigger: fires.isCatchUp ? "catch_up" : "schedule",
    plan: JSON.stringify(plan),
    scheduled_at: fires.tick,
    check_id: check.id,
    attempt: 1,
  };
}

/** A fire that was run before is not run again: after the clock went back it comes a second time. */
async function insertRuns(within: Trx, runs: TickRun[]) {
  const inserted: { id: string; org_id: string }[] = [];
  const ran = new Map<number, string[]>();
  for (let at = 0; at < runs.length; at += RUNS_AT_ONCE) {
    const some = runs.slice(at, at + RUNS_AT_ONCE);
    const rows = await insertTickRuns(within, some);
    inserted.push(...rows);
    const ids = new Set(rows.map(({ id }) => id));
    for (const run of some)
      if (ids.has(run.id)) ran.set(run.scheduled_at, [...(ran.get(run.scheduled_at) ?? []), run.check_id]);
  }
  for (const [at, checkIds] of ran) await markRun(within, [...new Set(checkIds)], at);
  return inserted;
}

function skips({ metrics }: Pick<Deps, "metrics">) {
  const help = "Fires of checks without a run, by why: missed, overlap, no_target, not_in_plan.";
  return metrics.counter("ticks_skipped_total", help, ["reason"]);
}
