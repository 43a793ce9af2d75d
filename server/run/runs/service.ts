import { addRunLogs, ENDED, findRun, insertRun, listRuns, type RunRow } from "../../../store/records/runs.ts";
import { findScenario, findScenarioFile } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { readIdCursor, writeIdCursor } from "../../http/cursors.ts";
import { AppError, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { fromIso } from "../../platform/clock.ts";
import { publishRun } from "../../trace/process/completion.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { DEFAULT_REGION, knownRegions, regionProblem } from "../regions.ts";
import { answerRun } from "./answer.ts";
import type { RunPlan } from "./execute.ts";
import { EXECUTE } from "./kinds.ts";
import {
  type ManualRun,
  type RegionList,
  type RunAnswer,
  type RunListQuery,
  type RunSteps,
  toRun,
} from "./model.ts";
import { settleRun } from "./settle.ts";
import { addShadowDiff } from "./start-comparison.ts";

const DEFAULT_LIMIT = 50;

/**
 * Queues a run of a scenario.
 * @throws AppError `not_found` without such a scenario; `validation_failed` when there is nothing to run or no target
 */
export async function runManually(deps: Deps, actor: Actor, wanted: ManualRun): Promise<RunAnswer> {
  const scenario = await findScenarioFile(deps.store.records, actor.orgId, wanted.scenarioId);
  if (!scenario) throw notFound("The scenario");
  if (scenario.compiled === null)
    throw new AppError(
      "validation_failed",
      `The scenario "${scenario.slug}" is known from traces only: load its file with \`tracedeck scenarios sync\`.`,
    );
  const region = wanted.region ?? DEFAULT_REGION;
  requireRegion(deps, region);
  if (wanted.baseUrl !== undefined) requireAddress("baseUrl", wanted.baseUrl);
  const compiled = JSON.parse(scenario.compiled) as CompiledScenario;
  const baseUrl = wanted.baseUrl ?? compiled.base_url;
  if (baseUrl === null)
    throw new AppError(
      "validation_failed",
      'The scenario has no base_url, so the body\'s "baseUrl" is needed.',
    );
  const { type = "manual" } = wanted;
  if (type === "shadow_diff" && compiled.clones.length === 0)
    throw new AppError(
      "validation_failed",
      `The scenario "${scenario.slug}" names no clones, so there is nothing to compare with production.`,
    );
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const plan: RunPlan = { scenario: compiled, source: scenario.source };
  const run = await commit(deps, async (within, after) => {
    const wantedRun = {
      id,
      org_id: actor.orgId,
      type,
      status: "queued",
      scenario_id: scenario.id,
      scenario_slug: scenario.slug,
      region,
      base_url: baseUrl,
      trigger: "api",
      plan: JSON.stringify(plan),
      scheduled_at: now,
    } as const;
    if (type === "shadow_diff") await addShadowDiff(deps, within, after, wantedRun);
    else {
      await insertRun(within, wantedRun);
      await after.add({ kind: EXECUTE, payload: { run_id: id }, maxAttempts: 1 });
    }
    await auditAct(within, actor, {
      at: now,
      action: "run.manual",
      target: id,
      detail: { scenario: scenario.slug, type },
    });
    publishRun(after, wantedRun);
    return findRun(within, id);
  });
  return toRun(run!);
}

/** @throws AppError `invalid_request` naming the field (`validation_failed` in the monitoring API) */
export function requireRegion({ config }: Pick<Deps, "config">, region: string): void {
  const problem = regionProblem(config.settings, region);
  if (problem) throw invalid(`The body's field "region": ${problem}`);
}

/** @throws AppError `invalid_request` naming the field (`validation_failed` in the monitoring API) */
export function requireAddress(field: string, text: string): void {
  // Without its slashes, which a URL may lack, it would be no address that a page can start from.
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw invalid(`The body's field "${field}" must be an http(s) address, such as http://localhost:3000.`);
}

/** The regions that a run may name, with what their profiles say of a page's place; the default one first. */
export function showRegions({ config }: Pick<Deps, "config">): RegionList {
  const { settings } = config;
  return {
    items: knownRegions(settings).map((name) => ({
      name,
      is_default: name === DEFAULT_REGION,
      locale: settings.regions[name]?.locale ?? null,
      timezone: settings.regions[name]?.timezone ?? null,
    })),
  };
}

/** @throws AppError `not_found`, `wrong_org` */
export async function requireRun(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<RunRow> {
  const run = await findRun(deps.store.records, id.toLowerCase());
  if (!run) throw notFound("The run");
  if (run.org_id !== actor.orgId) throw new AppError("wrong_org", "The run belongs to another org.");
  return run;
}

export async function showRun(deps: Deps, actor: Actor, id: string): Promise<RunAnswer> {
  return answerRun(deps, await requireRun(deps, actor, id));
}

/** The steps of a run's scenario as they were when it was asked for. @throws AppError `not_found`, `wrong_org` */
export async function showRunSteps(deps: Deps, actor: Actor, id: string): Promise<RunSteps> {
  const { plan } = await requireRun(deps, actor, id);
  const { scenario } = JSON.parse(plan) as RunPlan;
  return {
    title: scenario.title,
    items: scenario.steps.map(({ id: step, source, from }) => ({ id: step, source, from: from ?? null })),
  };
}

/** One page of the org's runs, newest first. @throws AppError naming the parameter */
export async function showRuns(deps: Deps, actor: Actor, query: RunListQuery) {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const scenario =
    query.scenario === undefined ? null : await findScenario(deps.store.records, actor.orgId, query.scenario);
  if (query.scenario !== undefined && !scenario) return { items: [], next_cursor: null };
  const from = query.from === undefined ? undefined : readTime("from", query.from);
  const to = query.to === undefined ? undefined : readTime("to", query.to);
  if (from !== undefined && to !== undefined && from > to)
    throw invalid('The query parameter "from" lies after "to".');
  const rows = await listRuns(deps.store.records, {
    orgId: actor.orgId,
    limit: limit + 1,
    ...(query.type !== undefined && { type: query.type }),
    ...(query.status !== undefined && { status: query.status }),
    ...(query.check !== undefined && { checkId: query.check.toLowerCase() }),
    ...(query.repo !== undefined && { repo: query.repo }),
    ...(scenario && { scenarioId: scenario.id }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(query.cursor !== undefined && { after: readIdCursor(query.cursor) }),
  });
  const page = rows.slice(0, limit);
  const items: RunAnswer[] = [];
  for (const row of page) items.push(await answerRun(deps, row));
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items, next_cursor: last ? writeIdCursor(last.id) : null };
}

/**
 * Ends a run: one that this process carries out as soon as it can, others at once; whoever carries those out learns it when
 * it next tells of them. An ended run stays as it is.
 */
export async function cancelRun(deps: Deps, actor: Actor, id: string): Promise<RunAnswer> {
  const run = await requireRun(deps, actor, id);
  const now = deps.clock.now();
  await commit(deps, async (within, after) => {
    const line = { ts: now, level: "warn", message: "The run was cancelled.", step_id: null } as const;
    if (!ENDED.includes(run.status)) await addRunLogs(within, run.id, [line]);
    await auditAct(within, actor, { at: now, action: "run.cancel", target: run.id, detail: {} });
    publishRun(after, run);
  });
  const control = deps.runState.runs.controls.get(run.id);
  // One that has ended and waits for its trace stays as it ended.
  if (run.verdict === null && (!control || run.status === "queued")) {
    const message =
      run.status === "queued" ? "The run was cancelled before it began." : "The run was cancelled.";
    await settleRun(
      deps,
      run,
      { status: "aborted", error: { reason: "aborted", message, stepId: null } },
      true,
    );
  }
  control?.abort();
  return showRun(deps, actor, run.id);
}

function readTime(name: string, text: string): number {
  const time = fromIso(text);
  if (time === null)
    throw new AppError("validation_failed", `The query parameter "${name}" must be an ISO 8601 time.`);
  return time;
}
