import type { Trx } from "../../../store/records/db.ts";
import { setRecordings } from "../../../store/records/recordings.ts";
import {
  findScenarioFile,
  listScenarioFiles,
  markMissing,
  setScenarioFile,
  upsertScenario,
} from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, invalid } from "../../http/errors.ts";
import { createBodyCheck } from "../../http/validation.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import type { CompiledScenario } from "../language/ast.ts";
import type { ScenarioFile } from "../language/compile.ts";
import { pathProblem } from "../language/paths.ts";
import { scheduleRules } from "../regions.ts";
import type { CompileInput, CompileOutput, ReadyScenario } from "./compile-task.ts";
import { type ScenarioText, type SyncAnswer, SyncRequest } from "./model.ts";
import { syncSchedule } from "./schedule.ts";

/** Who names so many wrong paths has made one mistake. */
const MOST_TOLD = 20;

const checkFolder: (body: unknown) => asserts body is SyncRequest = createBodyCheck(SyncRequest);

/**
 * Takes in a folder of scenario files: what is new is created, what changed updated, what is gone marked. Nothing changes
 * when anything does not compile.
 * @throws AppError `validation_failed` with every problem
 */
export async function syncScenarios(deps: Deps, actor: Actor, body: unknown): Promise<SyncAnswer> {
  checkFolder(body);
  requirePaths(body);
  const ready = await compileAll(deps, {
    files: body.files.map(({ path, text }) => ({ name: path, text })),
    recordings: body.recordings ?? [],
  });
  const now = deps.clock.now();
  const answer: SyncAnswer = { created: [], updated: [], unchanged: [], missing: [] };
  await commit(deps, async (within) => {
    for (const one of ready) answer[await takeIn(deps, within, actor.orgId, one)].push(one.scenario.slug);
    const present = new Set(ready.map(({ scenario }) => scenario.slug));
    for (const row of await listScenarioFiles(within, actor.orgId)) {
      if (present.has(row.slug)) continue;
      answer.missing.push(row.slug);
      if (row.missing === 0) await markMissing(within, row.id, now);
    }
    await auditAct(within, actor, {
      at: now,
      action: "scenarios.sync",
      target: actor.orgId,
      detail: {
        created: answer.created.length,
        updated: answer.updated.length,
        missing: answer.missing.length,
      },
    });
  });
  return answer;
}

/** @throws AppError `validation_failed` naming each path that leads out of the folder, or could */
function requirePaths(body: SyncRequest): void {
  const problems = (["files", "recordings"] as const).flatMap((field) =>
    (body[field] ?? []).flatMap(({ path }, at) => {
      const problem = pathProblem(path);
      return problem ? [`The body's field "${field}.${at}.path", ${JSON.stringify(path)}, ${problem}.`] : [];
    }),
  );
  if (problems.length === 0) return;
  const told = problems.slice(0, MOST_TOLD);
  const rest = problems.length - told.length;
  const more = rest > 0 ? [`${rest} more paths are refused.`] : [];
  throw new AppError(
    "validation_failed",
    [...told, ...more, "Paths such as shop/checkout.scenario.md were expected."].join("\n"),
  );
}

/**
 * Takes in one scenario file beside those that are known, as `syncScenarios` would.
 * @returns the id of its scenario
 * @throws AppError `validation_failed` with every problem; `conflict` when another file has the scenario
 */
export async function writeScenario(deps: Deps, actor: Actor, { path, text }: ScenarioText): Promise<string> {
  const problem = pathProblem(path);
  if (problem) throw invalid(`The body's field "path", ${JSON.stringify(path)}, ${problem}.`);
  const [ready] = await compileAll(deps, { files: [{ name: path, text }], recordings: [] });
  const { slug } = ready!.scenario;
  return commit(deps, async (within) => {
    const known = await findScenarioFile(within, actor.orgId, slug);
    if (known?.path != null && known.path !== path)
      throw conflict(`The scenario "${slug}" comes from ${known.path}: give another slug, or that path.`);
    const outcome = await takeIn(deps, within, actor.orgId, ready!);
    const { id } = (await findScenarioFile(within, actor.orgId, slug))!;
    await auditAct(within, actor, {
      at: deps.clock.now(),
      action: "scenario.write",
      target: id,
      detail: { slug, path, outcome },
    });
    return id;
  });
}

/**
 * Takes in scenario files beside those that are known; none is marked.
 * @throws AppError `validation_failed` with every problem
 */
export async function addScenarios(deps: Deps, orgId: string, files: ScenarioFile[]): Promise<void> {
  const ready = await compileAll(deps, { files, recordings: [] });
  await commit(deps, async (within) => {
    for (const one of ready) await takeIn(deps, within, orgId, one);
  });
}

async function takeIn(
  deps: Deps,
  within: Trx,
  orgId: string,
  { file, scenario, recordings }: ReadyScenario,
): Promise<"created" | "updated" | "unchanged"> {
  const known = await findScenarioFile(within, orgId, scenario.slug);
  const compiled = JSON.stringify(scenario);
  const now = deps.clock.now();
  const isSame = known?.compiled === compiled && known.source === file.text && known.path === file.name;
  if (isSame && known.missing === 0 && !(await setRecordings(within, known.id, recordings))) {
    await syncSchedule(deps, within, { orgId, scenarioId: known.id, scenario, before: scenario });
    return "unchanged";
  }
  const { slug, title } = scenario;
  const { id } = await upsertScenario(within, { id: deps.ids.uuid(), orgId, slug, title, now });
  await setScenarioFile(within, id, { title, path: file.name, source: file.text, compiled, now });
  await setRecordings(within, id, recordings);
  const before = known?.compiled == null ? null : (JSON.parse(known.compiled) as CompiledScenario);
  await syncSchedule(deps, within, { orgId, scenarioId: id, scenario, before });
  return known?.path == null ? "created" : "updated";
}

/** @throws AppError `validation_failed` with every problem */
async function compileAll(
  deps: Deps,
  folder: Pick<CompileInput, "files" | "recordings">,
): Promise<ReadyScenario[]> {
  const rules = scheduleRules(deps.config.settings);
  const { ready, problems } = await deps.tasks.run<CompileOutput>("scenarios.compile", { ...folder, rules });
  if (!ready) throw new AppError("validation_failed", problems.join("\n"));
  return ready;
}
