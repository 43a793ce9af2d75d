import {
  addRunLogs,
  changeRun,
  ENDED,
  findRun,
  insertRun,
  type RunRow,
  runsWithoutLease,
} from "../../../store/records/runs.ts";
import { upsertScenario } from "../../../store/records/scenarios.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { forEachApart } from "../../jobs/each-apart.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { SILENCE_MS } from "../../trace/capture/service.ts";
import { publishRun } from "../../trace/process/completion.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { knownFingerprints, type RunPlan } from "./execute.ts";
import { failOrphanedRun } from "./fail-orphaned.ts";
import type { RunAnswer } from "./model.ts";
import type { RunBegin, RunBegun, RunEnd, RunProgress } from "./record-model.ts";
import { requireAddress, requireRegion, requireRun, showRun } from "./service.ts";
import { settleRun } from "./settle.ts";

/** Notes a run that its sender carries out itself, from now on. @throws AppError `invalid_request` naming the field */
export async function beginRun(deps: Deps, actor: Actor, begun: RunBegin): Promise<RunBegun> {
  requireRegion(deps, begun.region);
  if (begun.base_url !== undefined) requireAddress("base_url", begun.base_url);
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const scenario = begun.scenario as unknown as CompiledScenario;
  const plan: RunPlan = {
    scenario,
    source: begun.source ?? null,
    ...(begun.code_sha !== undefined && { code_sha: begun.code_sha }),
  };
  const { slug, title } = scenario;
  const scenarioId = await commit(deps, async (within, after) => {
    const known = await upsertScenario(within, { id: deps.ids.uuid(), orgId: actor.orgId, slug, title, now });
    await insertRun(within, {
      id,
      org_id: actor.orgId,
      type: "manual",
      status: "running",
      scenario_id: known.id,
      scenario_slug: slug,
      region: begun.region,
      base_url: begun.base_url ?? null,
      trigger: "cli",
      plan: JSON.stringify(plan),
      scheduled_at: now,
      started_at: now,
      server_id: deps.serverId,
    });
    await auditAct(within, actor, { at: now, action: "run.begin", target: id, detail: { scenario: slug } });
    publishRun(after, { id, org_id: actor.orgId });
    return known.id;
  });
  const fingerprints = await knownFingerprints(deps, scenarioId);
  return { run: await showRun(deps, actor, id), fingerprints };
}

/**
 * Adds to the log of a run, and says which trace it leaves.
 * @returns the run; its status tells the sender when it was cancelled
 * @throws AppError `invalid_request` when the trace is not one of this org
 */
export async function progressRun(
  deps: Deps,
  actor: Actor,
  id: string,
  { trace_id, lines }: RunProgress,
): Promise<RunAnswer> {
  const run = await requireRun(deps, actor, id);
  const traceId = trace_id?.toLowerCase();
  if (traceId !== undefined) {
    const trace = await findTrace(deps.store.records, traceId);
    if (trace?.org_id !== actor.orgId)
      throw new AppError("invalid_request", 'The body\'s field "trace_id" names no trace of this org.');
  }
  await commit(deps, async (within, after) => {
    if (traceId !== undefined) await changeRun(within, run.id, ["running"], { trace_id: traceId });
    if (!ENDED.includes(run.status))
      await addRunLogs(
        within,
        run.id,
        lines.map(({ step_id = null, ...line }) => ({ ...line, step_id })),
      );
    publishRun(after, run);
  });
  return showRun(deps, actor, run.id);
}

/** Ends a run; one that has ended stays as it is. */
export async function endRun(deps: Deps, actor: Actor, id: string, end: RunEnd): Promise<RunAnswer> {
  const run = await requireRun(deps, actor, id);
  const { status, error, healed, fingerprints } = end;
  await settleRun(deps, run, {
    status,
    error: error && { ...error, stepId: null },
    heals: healed,
    fingerprints,
  });
  return showRun(deps, actor, run.id);
}

/** Between the end of a trace and that of its run, when both are told by the same process. */
const GRACE_MS = 60_000;

/** Runs whose process went away without a word: no trace came of them, or it has ended long since. */
export function sweepLostRuns(deps: Deps): PeriodicTask {
  return {
    name: "runs.lost",
    everyMs: 60_000,
    of: "store",
    isDue: async () => (await lostRuns(deps)).length > 0,
    run: async () =>
      forEachApart(deps, await lostRuns(deps), "A lost run could not be ended", async ({ id }) => {
        const known = await findRun(deps.store.records, id);
        if (known?.status === "running")
          await failOrphanedRun(deps, known, "The process that carried the run out has gone without a word.");
      }),
  };
}

async function lostRuns(deps: Deps): Promise<RunRow[]> {
  const { records } = deps.store;
  const now = deps.clock.now();
  const lost: RunRow[] = [];
  for (const run of await runsWithoutLease(records, now)) {
    if (deps.runState.runs.controls.has(run.id)) continue;
    const trace = run.trace_id === null ? null : await findTrace(records, run.trace_id);
    const isLost = trace
      ? trace.status !== "running" && now - (trace.ended_at ?? 0) > GRACE_MS
      : now - (run.started_at ?? 0) > SILENCE_MS;
    if (isLost) lost.push(run);
  }
  return lost;
}
