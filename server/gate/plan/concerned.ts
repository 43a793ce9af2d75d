import type { CompiledScenario } from "../../run/language/ast.ts";
import { reasonsFor } from "../../run/scenarios/affected.ts";
import type { ChangedFiles } from "../code-host/types.ts";
import type { HeadScenario } from "./compile-task.ts";

/** Why a scenario is run: a changed path with its rule, or `all` where nobody knows all that changed. */
export interface Reason {
  path: string | null;
  rule: "covers" | "coverage" | "scenario_file" | "all";
}

/** More paths say no more. */
const MOST_REASONS = 50;

/**
 * Why changed paths concern a scenario of the head commit; none when they do not.
 * @param used paths of addresses that its runs loaded
 */
export function concernedBy(
  head: HeadScenario,
  used: readonly string[],
  { paths, isCut }: Pick<ChangedFiles, "paths" | "isCut">,
): Reason[] {
  const itself = { path: head.path, compiled: JSON.stringify(head.scenario) };
  const found: Reason[] = reasonsFor(itself, used, paths);
  const others = head.madeFrom.filter((path) => path !== head.path && paths.includes(path));
  for (const path of others) {
    const known = found.find((reason) => reason.path === path);
    if (known) known.rule = "scenario_file";
    else found.unshift({ path, rule: "scenario_file" });
  }
  if (found.length === 0 && isCut) return [{ path: null, rule: "all" }];
  return found.slice(0, MOST_REASONS);
}

/** Whether a scenario goes to addresses that begin with that of its target: the others bring their own, those of clones say. */
export function needsAddress({ base_url, steps }: CompiledScenario): boolean {
  if (base_url !== null) return true;
  const isWhole = (text: unknown): boolean =>
    typeof text === "string"
      ? /^(?:https?:|about:|data:)/i.test(text)
      : ((text as { parts: unknown[] }).parts[0] as { ref?: string })?.ref?.startsWith("clones.") === true ||
        isWhole((text as { parts: unknown[] }).parts[0] ?? "");
  const opened = steps.flatMap(({ action }) =>
    action.verb === "go" || action.verb === "request" ? [action.url] : [],
  );
  return opened.length === 0 || !opened.every(isWhole);
}
