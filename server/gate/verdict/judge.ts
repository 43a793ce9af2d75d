import { findLastPass } from "../../../store/records/baselines.ts";
import {
  type GateScenarioRow,
  gateRunOn,
  gateScenarioOfRun,
  gateScenarios,
  noteFinding,
} from "../../../store/records/gate-scenarios.ts";
import { findGate, type GateRow, gateAlone } from "../../../store/records/gates.ts";
import { ENDED, findRun, type RunRow } from "../../../store/records/runs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { JobHandler } from "../../jobs/types.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { causeOf } from "../../trace/causes/service.ts";
import { CodeHostError } from "../code-host/types.ts";
import { announce, moveGate } from "../flow/move.ts";
import { JUDGE } from "../kinds.ts";
import { baseAddressOf } from "../plan/address.ts";
import { hostOf, PlanError } from "../plan/source.ts";
import { startBaseRun } from "../plan/start-runs.ts";
import { type Finding, verdictOf } from "./finding.ts";
import { knownAsFlaky, knownInProduction, knownOnBase } from "./known.ts";

const MOST_DIFFERENCES = 3;
const MAX_HEADLINE = 300;

/** Has the end of a gate's run judged; payload `{ run_id }`. Other runs are none of ours. */
export function followGateRunHandler(deps: Deps): JobHandler {
  return async ({ run_id }) => {
    const runId = String(run_id);
    if (!(await gateScenarioOfRun(deps.store.records, runId))) return;
    await commit(deps, (_, after) =>
      after.add({ kind: JUDGE, payload: { run_id: runId }, dedupeKey: runId, maxAttempts: 8 }),
    );
  };
}

/**
 * What the end of a run means for its gate: what it tells is written down once, and the last one gives the verdict. Of a failure that
 * nothing explains yet, the base commit is asked first, where it can be tried and the change leaves the scenario as it is.
 * @throws AppError `unavailable` when a file is damaged
 */
export async function judgeRun(deps: Deps, runId: string): Promise<void> {
  const { records } = deps.store;
  const scenario = await gateScenarioOfRun(records, runId);
  const gate = scenario && (await findGate(records, scenario.gate_id));
  if (!scenario || gate?.status !== "running" || scenario.finding !== null || scenario.run_id === null)
    return;
  const run = await findRun(records, scenario.run_id);
  if (!run || !ENDED.includes(run.status)) return;
  const baseRun = await baseRunOf(deps, gate, scenario);
  if (baseRun && !ENDED.includes(baseRun.status)) return;
  const finding = await findingOf(deps, run, baseRun);
  if (finding.blocks && !baseRun && (await askBase(deps, gate, scenario, run))) return;
  await commit(deps, async (trx, after) => {
    await gateAlone(trx, { orgId: gate.org_id, repository: gate.repository });
    const of = { gateId: gate.id, slug: scenario.slug };
    if (!(await noteFinding(trx, { ...of, finding: JSON.stringify(finding) }))) return;
    const all = (await gateScenarios(trx, gate.id)).map((one) => ({
      ...{ row: one, slug: one.slug, withheld: one.withheld },
      finding: one.finding === null ? null : (JSON.parse(one.finding) as Finding),
    }));
    const verdict = verdictOf(all);
    if (!verdict) return announce(after, gate);
    const shown = all.find((one) => one.finding?.blocks);
    const shownRun = shown?.finding ?? null;
    await moveGate(
      ...([deps, trx, after, gate, verdict.status, { reason: verdict.reason }] as const),
      shown && shownRun
        ? {
            ...{ scenarioId: shown.row.scenario_id, region: run.region, runId: shownRun.run_id },
            ...{ traceId: shownRun.trace_id, failureSignature: shownRun.failure_signature },
          }
        : null,
    );
  });
}

/** A scenario that the change itself wrote says nothing of the base. */
const isChanged = ({ reasons }: GateScenarioRow): boolean =>
  (JSON.parse(reasons) as { rule: string }[]).some(({ rule }) => rule === "scenario_file");

/** The run on the base commit: made for this one, or for a gate of that commit itself. */
async function baseRunOf({ store }: Deps, gate: GateRow, scenario: GateScenarioRow): Promise<RunRow | null> {
  const of = { orgId: gate.org_id, slug: scenario.slug, sha: gate.base_sha };
  const id = scenario.base_run_id ?? (isChanged(scenario) ? null : await gateRunOn(store.records, of));
  return id === null ? null : findRun(store.records, id);
}

/** Has the scenario run on the base commit; false where that would tell nothing, or cannot be. */
async function askBase(deps: Deps, gate: GateRow, scenario: GateScenarioRow, run: RunRow): Promise<boolean> {
  const { slug } = scenario;
  if (isChanged(scenario)) return false;
  // What goes to its own addresses meets the same ones on the base.
  if (run.base_url === null) return false;
  const baseUrl = await baseAddressOf(deps, gate, await hostOf(deps, gate)).catch((error: unknown) => {
    // The verdict does not wait for what is only said beside it.
    if (error instanceof CodeHostError || error instanceof PlanError) return null;
    throw error;
  });
  if (baseUrl === null || baseUrl === run.base_url) return false;
  const plan = JSON.parse(run.plan) as RunPlan;
  await commit(deps, (trx, after) =>
    startBaseRun(deps, trx, after, gate, { slug, scenarioId: scenario.scenario_id, plan, baseUrl }),
  );
  return true;
}

async function findingOf(deps: Deps, run: RunRow, baseRun: RunRow | null): Promise<Finding> {
  const { records } = deps.store;
  const trace = run.trace_id === null ? null : await findTrace(records, run.trace_id);
  const pass = trace && (await findLastPass(records, trace));
  const outcome: Finding["outcome"] =
    run.status === "passed" || run.status === "failed" ? run.status : "error";
  const base = {
    ...{ outcome, run_id: run.id, trace_id: run.trace_id, duration_ms: run.duration_ms },
    error_reason: outcome === "error" ? run.error_reason : null,
    failure_signature: trace?.failure_signature ?? null,
    last_pass: pass ? { trace_id: pass.id, duration_ms: pass.duration_ms ?? 0 } : null,
  };
  const nothing = { headline: null, failed_step: null, differs: [], known: [], blocks: false };
  if (outcome === "passed") return { ...base, ...nothing };
  const message = (run.error_message ?? "The run ended without a reason.").slice(0, MAX_HEADLINE);
  if (outcome === "error") return { ...base, ...nothing, headline: message };
  const cause = trace ? (await causeOf(deps, trace)).found.cause : null;
  const known = [
    await knownInProduction(deps, run, trace),
    await knownOnBase(deps, trace, baseRun),
    await knownAsFlaky(deps, run, trace),
  ].filter((one) => one !== null);
  return {
    ...base,
    headline: cause?.headline ?? message,
    failed_step: failedStepOf(run, trace),
    differs: (cause?.suspects ?? [])
      .filter(({ is_new }) => is_new === true)
      .slice(0, MOST_DIFFERENCES)
      .map(({ title }) => title),
    known,
    blocks: !known.some(({ is_same }) => is_same),
  };
}

/** The step that failed, where it stands in the files of the commit. */
function failedStepOf(run: RunRow, trace: TraceRow | null): Finding["failed_step"] {
  const { scenario } = JSON.parse(run.plan) as RunPlan;
  const step = scenario.steps.find(({ id }) => id === trace?.failed_step_id);
  return step ? { step_id: step.id, title: step.source, path: step.at.file, line: step.at.line } : null;
}

/** Ends a gate whose run could not be judged: that is our fault, and no pass. */
export async function failJudging(deps: Deps, runId: string, error: string): Promise<void> {
  const { records } = deps.store;
  const scenario = await gateScenarioOfRun(records, runId);
  const gate = scenario && (await findGate(records, scenario.gate_id));
  if (!gate) return;
  const reason = `What the run of ${scenario.slug} tells could not be read: ${error}`;
  await commit(deps, async (trx, after) => {
    await moveGate(deps, trx, after, gate, "error", { reason });
  });
}
