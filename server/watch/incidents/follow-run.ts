import {
  type AlertResultRow,
  insertAlertResult,
  recentResults,
  resultsOfRuns,
} from "../../../store/records/alert-results.ts";
import { type CheckRow, findCheck, listChecks } from "../../../store/records/checks.ts";
import type { Db, Trx } from "../../../store/records/db.ts";
import { drawCell } from "../../../store/records/grid.ts";
import { decideAlone, lastResolvedAt } from "../../../store/records/incidents.ts";
import { findRun, type RunRow } from "../../../store/records/runs.ts";
import { findShadowDiff } from "../../../store/records/shadow-diffs.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";
import { decide } from "../alerts/decide.ts";
import { MOST_RESULTS, tailOf, windowOf } from "../alerts/reach.ts";
import type { Changes, Incident } from "../alerts/state.ts";
import { type AlertPolicy, policyOf } from "../policy.ts";
import { followErrors } from "../self-alert.ts";
import { isDriftWatched } from "./drift.ts";
import { loadState, toResult, writeChanges } from "./kept.ts";

/** What the decision on a run asks of others. */
export interface Surroundings {
  /** Until when nothing is told of a scenario, as epoch ms; null when no maintenance is going on. */
  quietUntil(db: Db, of: { orgId: string; scenarioId: string }, now: number): Promise<number | null>;
  /** Queues a run that failed once more; nothing when that was done. */
  retry(trx: Trx, after: After, run: RunRow): Promise<void>;
}

/** Checks of a scenario that are asked whose a shadow diff is. */
const MOST_CHECKS = 200;

/**
 * What the end of a run means for alerts: nothing, another attempt, or a result. A result, the incidents that it opens, changes or
 * ends, their timeline and what is to be told are one transaction, so that a process that dies leaves all of it or nothing;
 * whoever comes second finds the result there and does nothing.
 */
export async function followRun(deps: Deps, surroundings: Surroundings, runId: string): Promise<void> {
  const { records } = deps.store;
  const run = await findRun(records, runId);
  const check = run && (await checkOf(records, run));
  if (!run || !check || run.status === "aborted") return;
  const found = await outcomeOf(deps, run);
  if (found === null) return;
  const policy = policyOf(check);
  const now = deps.clock.now();
  const ignored = whyIgnored(check, run, now);
  const mayRetry = found.kind === "run" && found.status === "failed" && run.attempt <= policy.retries;
  if (mayRetry && ignored === null) {
    await commit(
      deps,
      (trx, after) => surroundings.retry(trx, after, run),
      async () => true,
    );
    return;
  }
  const row = await toRow(deps, run, found, ignored);
  await commit(
    deps,
    async (trx, after) => {
      await decideAlone(trx, run.scenario_id);
      if (!(await insertAlertResult(trx, row))) return;
      if (row.kind === "run") await drawCell(trx, row);
      if (ignored !== null) return;
      await followErrors(deps, trx, row, now);
      if (row.status === "error") return;
      const changes = await decideOn(deps, trx, surroundings, { check, policy, row, now });
      const of = { orgId: run.org_id, scenarioId: run.scenario_id };
      await writeChanges(trx, after, changes, { ...of, now, policy });
    },
    async () => (await resultsOfRuns(records, [runId])).length > 0,
  );
}

/** The check that a run was made for; null when it was asked for in another way, or its check is gone. */
async function checkOf(db: Db, run: RunRow): Promise<CheckRow | null> {
  if (run.check_id !== null) return findCheck(db, run.check_id);
  if (run.type !== "shadow_diff" || run.trigger !== "schedule") return null;
  // The fire of a check has three runs for a shadow diff, and belongs to none of them.
  const of = { orgId: run.org_id, scenarioId: run.scenario_id, isEnabled: true, limit: MOST_CHECKS };
  const checks = await listChecks(db, of);
  const isMeant = (one: CheckRow) =>
    one.shadow_prod === 1 && (JSON.parse(one.regions) as string[]).includes(run.region);
  return checks.find(isMeant) ?? null;
}

/** What a result that is written down means: reads what the rules need of what is kept, and decides. */
export async function decideOn(
  { ids }: Pick<Deps, "ids">,
  trx: Trx,
  { quietUntil }: Pick<Surroundings, "quietUntil">,
  { check, policy, row, now }: { check: CheckRow; policy: AlertPolicy; row: AlertResultRow; now: number },
): Promise<Changes> {
  const results = await resultsFor(trx, row, policy, countsFrom(check));
  const state = await loadState(trx, row.scenario_id);
  const of = { orgId: row.org_id, scenarioId: row.scenario_id };
  const isOfDrift = ({ region, rules }: Incident) => region === row.region && rules.includes("shadow_diff");
  const concernsDrift = row.kind === "shadow" || state.incidents.some(isOfDrift);
  return decide({
    state,
    policy: concernsDrift
      ? { ...policy, shadow_diff: await isDriftWatched(trx, { ...of, region: row.region }) }
      : policy,
    result: results.find(({ runId }) => runId === row.run_id) ?? toResult(row),
    results,
    now,
    regions: (JSON.parse(check.regions) as string[]).length,
    channels: policy.channels ?? null,
    quietUntil: await quietUntil(trx, of, now),
    newId: () => ids.uuid(),
  });
}

type Outcome = Pick<AlertResultRow, "kind" | "status">;

/** What a run says about its target; null when it says nothing. */
async function outcomeOf({ store }: Deps, run: RunRow): Promise<Outcome | null> {
  if (run.type === "schedule")
    return run.status === "passed" || run.status === "failed" || run.status === "error"
      ? { kind: "run", status: run.status }
      : null;
  // Of the three runs of a shadow diff, one stands for all.
  const shadow = run.type === "shadow_diff" ? await findShadowDiff(store.records, run.id) : null;
  if (!shadow || shadow.result === null || run.status === "error") return null;
  const { diffs } = JSON.parse(shadow.result) as { diffs: unknown[] };
  return { kind: "shadow", status: diffs.length > 0 ? "failed" : "passed" };
}

/** Since when results count, epoch ms: also a pause that ended by itself begins the count anew. */
const countsFrom = ({ counts_from, paused_until }: CheckRow): number =>
  Math.max(counts_from, paused_until ?? 0);

/** Why the result of a run counts for nothing; null when it counts. */
function whyIgnored(check: CheckRow, run: RunRow, now: number): string | null {
  if (check.enabled === 0) return "The check was switched off.";
  if (!(JSON.parse(check.regions) as string[]).includes(run.region)) return "The check left its region.";
  if (check.paused_until !== null && now < check.paused_until) return "The check was paused.";
  if (run.scheduled_at < countsFrom(check)) return "The check was switched on or resumed after it.";
  return null;
}

async function toRow(
  { store, clock }: Deps,
  run: RunRow,
  { kind, status }: Outcome,
  ignored: string | null,
): Promise<AlertResultRow> {
  const now = clock.now();
  const trace = run.trace_id === null ? null : await findTrace(store.records, run.trace_id);
  return {
    ...{ run_id: run.id, org_id: run.org_id, scenario_id: run.scenario_id, region: run.region },
    // A clock that was ahead when it ended was put right since.
    ...{ kind, status, at: Math.min(run.ended_at ?? now, now), duration_ms: run.duration_ms },
    failure_signature: trace?.failure_signature ?? null,
    trace_id: trace?.id ?? null,
    healed: run.heals === null ? 0 : (JSON.parse(run.heals) as unknown[]).length,
    ignored,
  };
}

async function resultsFor(trx: Trx, row: AlertResultRow, policy: AlertPolicy, countsFrom: number) {
  const resolvedAt = await lastResolvedAt(trx, row.scenario_id, row.region);
  const rows = await recentResults(trx, {
    scenarioId: row.scenario_id,
    region: row.region,
    after: Math.max(resolvedAt ?? 0, countsFrom - 1),
    from: row.at - windowOf(policy),
    tail: tailOf(policy),
    limit: MOST_RESULTS,
  });
  return rows.map(toResult);
}
