import type { Trx } from "../../../store/records/db.ts";
import { gateScenarios, noteBaseRun, noteGateRun } from "../../../store/records/gate-scenarios.ts";
import type { GateRow } from "../../../store/records/gates.ts";
import { insertRun } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { DEFAULT_REGION } from "../../run/regions.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { EXECUTE } from "../../run/runs/kinds.ts";
import { publishRun } from "../../trace/process/completion.ts";
import { needsAddress } from "./concerned.ts";

type StartDeps = Pick<Deps, "clock" | "ids">;

/** Queues one run of each scenario of a gate that has none yet, in the transaction that lets it run. */
export async function startRuns(
  deps: StartDeps,
  trx: Trx,
  after: After,
  gate: GateRow,
  baseUrl: string | null,
): Promise<void> {
  const scenarios = await gateScenarios(trx, gate.id);
  const slugs = scenarios.map(({ slug }) => slug);
  for (const { slug, scenario_id, plan } of scenarios) {
    if (plan === null) continue;
    const runId = deps.ids.uuid();
    if (!(await noteGateRun(trx, { gateId: gate.id, slug, runId }))) continue;
    const { scenario } = JSON.parse(plan) as RunPlan;
    const run = { id: runId, scenarioId: scenario_id, slug, plan, trigger: gate.kind, slugs };
    await addRun(deps, trx, after, gate, {
      ...run,
      baseUrl: needsAddress(scenario) ? baseUrl : null,
    });
  }
}

/** Queues the run that tells whether a scenario fails on the base commit too; nothing when there is one. */
export async function startBaseRun(
  deps: StartDeps,
  trx: Trx,
  after: After,
  gate: GateRow,
  of: { slug: string; scenarioId: string; plan: RunPlan; baseUrl: string },
): Promise<void> {
  const runId = deps.ids.uuid();
  const { slug, scenarioId, baseUrl } = of;
  if (!(await noteBaseRun(trx, { gateId: gate.id, slug, runId }))) return;
  const plan = JSON.stringify({ ...of.plan, code_sha: gate.base_sha });
  await addRun(deps, trx, after, gate, {
    ...{ id: runId, scenarioId, slug, plan, trigger: "base_commit", slugs: [slug], baseUrl },
  });
}

async function addRun(
  { clock }: StartDeps,
  trx: Trx,
  after: After,
  gate: GateRow,
  run: {
    id: string;
    scenarioId: string;
    slug: string;
    plan: string;
    trigger: string;
    slugs: string[];
    baseUrl: string | null;
  },
): Promise<void> {
  const { id, scenarioId, slug, plan, trigger, slugs, baseUrl } = run;
  const { pr_number, base_sha, head_sha, repository } = gate;
  const row = {
    ...({ id, org_id: gate.org_id, type: "pr", status: "queued", scenario_id: scenarioId } as const),
    ...{ scenario_slug: slug, region: DEFAULT_REGION, base_url: baseUrl, trigger, plan },
    pr:
      pr_number === null ? null : JSON.stringify({ number: pr_number, base_sha, head_sha, repo: repository }),
    affected_scenarios: JSON.stringify(slugs),
    scheduled_at: clock.now(),
  };
  await insertRun(trx, row);
  await after.add({ kind: EXECUTE, payload: { run_id: id }, maxAttempts: 1 });
  publishRun(after, row);
}
