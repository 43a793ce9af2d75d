import { hasPreflight, PREFLIGHT } from "../../../store/records/checks.ts";
import { ENDED, findRun, insertRun, type RunRow } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import type { CompiledScenario } from "../../run/language/ast.ts";
import { DEFAULT_REGION } from "../../run/regions.ts";
import type { MarksSeen } from "../../run/runner/marks.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { EXECUTE } from "../../run/runs/kinds.ts";
import { requireScenario } from "../../run/scenarios/service.ts";
import { publishRun } from "../../trace/process/completion.ts";
import { requireTarget } from "../rules.ts";
import type { PreflightAnswer, PreflightState } from "./model.ts";

/** Others may carry the run out, of whom no news come here. */
const LOOK_MS = 1000;
/** Runs take five minutes at most, and may have to wait before. */
const LONGEST_MS = 15 * 60_000;

/** Whether a scenario may be watched. @throws AppError `not_found` */
export async function showPreflight(deps: Deps, actor: Actor, id: string): Promise<PreflightState> {
  const scenario = await requireScenario(deps, actor, id);
  return { recorded: await hasPreflight(deps.store.records, actor.orgId, scenario.id) };
}

/**
 * Runs a scenario as a schedule would and waits for its end. That its target was sent the header and saw the flag is written in the
 * audit log, which lets the scenario be watched.
 * @throws AppError `not_found`, `validation_failed` without an address to go to, `unavailable` when the run does not end
 */
export async function runPreflight(deps: Deps, actor: Actor, id: string): Promise<PreflightAnswer> {
  const scenario = await requireScenario(deps, actor, id);
  const baseUrl = requireTarget(scenario);
  const plan: RunPlan = {
    scenario: JSON.parse(scenario.compiled!) as CompiledScenario,
    source: scenario.source,
    watch_marks: true,
  };
  const runId = deps.ids.uuid();
  await commit(deps, async (within, after) => {
    const run = {
      id: runId,
      org_id: actor.orgId,
      type: "manual",
      status: "queued",
      scenario_id: scenario.id,
      scenario_slug: scenario.slug,
      region: DEFAULT_REGION,
      base_url: baseUrl,
      trigger: "preflight",
      plan: JSON.stringify(plan),
      scheduled_at: deps.clock.now(),
    } as const;
    await insertRun(within, run);
    await after.add({ kind: EXECUTE, payload: { run_id: runId }, maxAttempts: 1 });
    await auditAct(within, actor, {
      at: run.scheduled_at,
      action: "run.preflight",
      target: runId,
      detail: { scenario: scenario.slug },
    });
    publishRun(after, run);
  });
  const run = await untilEnded(deps, runId);
  const seen = run.marks === null ? null : (JSON.parse(run.marks) as MarksSeen);
  if (!seen?.header || !seen.flag)
    return { recorded: false, run_id: runId, reason: whyNot(run, seen, baseUrl) };
  await commit(deps, (within) =>
    auditAct(within, actor, {
      at: deps.clock.now(),
      action: PREFLIGHT,
      target: scenario.id,
      detail: { run_id: runId, base_url: new URL(baseUrl).origin },
    }),
  );
  return { recorded: true, run_id: runId };
}

async function untilEnded(deps: Deps, runId: string): Promise<RunRow> {
  const end = deps.clock.monotonic() + LONGEST_MS;
  const stop = new AbortController();
  let changed = Promise.withResolvers<void>();
  const listening = (async () => {
    for await (const _ of deps.hub.subscribe("run-logs", runId, stop.signal)) changed.resolve();
  })();
  try {
    while (!deps.hub.closing.aborted && deps.clock.monotonic() < end) {
      const run = await findRun(deps.store.records, runId);
      if (run && ENDED.includes(run.status)) return run;
      const woken = new AbortController();
      await Promise.race([
        changed.promise,
        deps.clock.sleep(LOOK_MS, AbortSignal.any([woken.signal, deps.hub.closing])),
      ]);
      woken.abort();
      changed = Promise.withResolvers();
    }
  } finally {
    stop.abort();
    await listening;
  }
  throw new AppError("unavailable", `The run ${runId} has not ended in time, so that nothing is recorded.`);
}

function whyNot(run: RunRow, seen: MarksSeen | null, baseUrl: string): string {
  if (!seen) return `The run ended before anything was seen: ${run.error_message ?? run.status}`;
  if (!seen.header)
    return `No request to ${new URL(baseUrl).origin} that was answered had the header: the origin may be in synthetic.exclude_origins, or was never reached.`;
  return "No page saw window.__PRODUCT_SYNTHETIC__.";
}
