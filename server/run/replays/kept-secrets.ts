import { isDeepStrictEqual } from "node:util";
import { invalid } from "../../http/errors.ts";
import type { CompiledScenario, CompiledStep } from "../language/ast.ts";

const HOW = "An agent may do that with the scope mcp:write.";
const FIELD = 'The body\'s field "edits.scenario_diff"';

/**
 * Whoever may replay and not write scenarios changes how one waits, clicks and expects. Which secrets it has, what types them
 * and where it goes with them stay: a page can tell an agent what to edit, and this server's browser would deliver.
 * @throws AppError `invalid_request` naming the secret, or the line
 */
export function requireKeptSecrets(
  source: CompiledScenario,
  edited: CompiledScenario,
  sourceDiffs: readonly unknown[],
): void {
  if (edited.secrets.length === 0) return;
  const added = edited.secrets.filter((name) => !source.secrets.includes(name));
  if (added.length > 0)
    throw invalid(`${FIELD} names ${named(added)}, which the scenario did not name when it ran. ${HOW}`);
  const names = named(edited.secrets);
  if (sourceDiffs.length > 0)
    throw invalid(
      `The body's field "edits.source_diffs" changes what a page does, and the scenario types ${names} there. ${HOW}`,
    );
  if (edited.base_url !== source.base_url || !isDeepStrictEqual(edited.clones, source.clones))
    throw invalid(`${FIELD} changes base_url or clones, and so where ${names} may go. ${HOW}`);
  const before = source.steps.filter(isOnTheWay);
  const after = edited.steps.filter(isOnTheWay);
  const at = before.findIndex(({ action }, index) => !isDeepStrictEqual(action, after[index]?.action));
  const changed = at >= 0 ? (after[at] ?? before[at]) : after[before.length];
  if (changed)
    throw invalid(
      `${FIELD} changes what the scenario does with ${names}, or where it goes with it: ${changed.at.file}:${changed.at.line}, ${changed.source}. Steps that name a secret or a variable, set one, or go or send somewhere stay as they were. ${HOW}`,
    );
}

const named = (names: readonly string[]): string =>
  `the ${names.length === 1 ? "secret" : "secrets"} ${names.join(", ")}`;

/** Whether a step has to do with a value that may be a secret's, or with where the browser is when one is typed. */
function isOnTheWay({ action }: CompiledStep): boolean {
  const { verb } = action;
  if (verb === "go" || verb === "request" || verb === "set") return true;
  // Quotes within texts are escaped there, so that only references look like this.
  return /"ref":"(?:secrets|vars)\./.test(JSON.stringify(action));
}
