import picomatch from "picomatch";
import { coverageOf } from "../../../store/records/coverage.ts";
import type { ScenarioFileRow } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { changedPaths } from "../../platform/git/changed-paths.ts";
import { GitError } from "../../platform/git/git.ts";
import type { CompiledScenario } from "../language/ast.ts";
import type { AffectedAnswer } from "./model.ts";
import { requireScenario } from "./service.ts";

type Reason = AffectedAnswer["reasons"][number];

/**
 * Whether a commit concerns a scenario: what the commit changed against its first parent, held against the scenario's
 * `covers`, the scripts and style sheets that its runs used, and its own file.
 * @throws AppError `not_found`; `validation_failed` for a commit that the repository does not have; `unavailable` without
 * a repository
 */
export async function affectedBy(
  deps: Deps,
  actor: Pick<Actor, "orgId">,
  id: string,
  sha: string,
): Promise<AffectedAnswer> {
  const scenario = await requireScenario(deps, actor, id);
  const folder = deps.config.settings.code_host.repository_path;
  if (!folder)
    throw new AppError(
      "unavailable",
      'No repository is configured: "code_host.repository_path" of settings.json names its folder.',
    );
  const changed = await changedPaths(folder, sha.toLowerCase()).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    throw new AppError(error.kind === "no_commit" ? "validation_failed" : "unavailable", error.message);
  });
  const used = (await coverageOf(deps.store.records, scenario.id)).map(({ path }) => path);
  const reasons = reasonsFor(scenario, used, changed);
  return { affected: reasons.length > 0, reasons };
}

/**
 * Why changed paths concern a scenario; each path with the first rule that holds.
 * @param used paths of addresses (`/assets/cart.js`) that its runs loaded
 * @param changed paths in the repository
 */
export function reasonsFor(
  scenario: Pick<ScenarioFileRow, "path" | "compiled">,
  used: readonly string[],
  changed: readonly string[],
): Reason[] {
  const covers = scenario.compiled === null ? [] : (JSON.parse(scenario.compiled) as CompiledScenario).covers;
  const isCovered = covers.length > 0 ? picomatch(covers, { dot: true }) : () => false;
  const reasons: Reason[] = [];
  for (const path of changed) {
    if (scenario.path !== null && endsInPath(path, scenario.path))
      reasons.push({ path, rule: "scenario_file" });
    else if (isCovered(path)) reasons.push({ path, rule: "covers" });
    else if (used.some((address) => isServedAs(path, address))) reasons.push({ path, rule: "coverage" });
  }
  return reasons;
}

/** Whether one path is the other, or ends in it at a slash: scenarios may lie in a folder of the repository. */
const endsInPath = (path: string, end: string): boolean => path === end || path.endsWith(`/${end}`);

/**
 * Whether a file is likely to be what an address gave: `/assets/cart.js` is `public/assets/cart.js`, and behind a prefix
 * `/shop/assets/cart.js` is `assets/cart.js`. A bare name says too little, unless the address is a bare name too.
 */
function isServedAs(path: string, address: string): boolean {
  const served = address.replace(/^\/+/, "");
  if (served === "") return false;
  if (endsInPath(path, served)) return true;
  return path.includes("/") && endsInPath(served, path);
}
