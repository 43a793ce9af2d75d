import { findScenarioFile } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { conflict, invalid } from "../../http/errors.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { type Compiled, compileScenario, type ScenarioFile } from "../language/compile.ts";
import { formatProblem } from "../language/problem.ts";
import { applyUnifiedDiff, DiffError, readUnifiedDiff } from "../playback/unified-diff.ts";
import type { ReplayRequest } from "./model.ts";
import type { ReplaySource } from "./source.ts";

type Edits = NonNullable<ReplayRequest["edits"]>;

/**
 * The scenario of a replay: that of its source, edited, and its file's text where that was kept.
 * @throws AppError `invalid_request` naming the hunk that does not apply, or every problem of the edited file;
 * `conflict` where the text of then is not known
 */
export async function editedScenario(
  deps: Deps,
  orgId: string,
  { scenario, file }: ReplaySource,
  diff: string,
): Promise<{ scenario: CompiledScenario; text: string | null }> {
  const patch = named('The body\'s field "edits.scenario_diff"', () => readUnifiedDiff(diff));
  if (!patch) return { scenario, text: file?.text ?? null };
  if (!file)
    throw conflict("The text of the scenario as it was when it ran was not kept, so it cannot be edited.");
  const text = named('The body\'s field "edits.scenario_diff"', () => applyUnifiedDiff(file.text, patch));
  const { scenario: edited, problems } = await compileWithUsed(deps, orgId, { name: file.name, text });
  if (!edited)
    throw invalid(
      `The body's field "edits.scenario_diff" makes a scenario that does not compile:\n${problems.map(formatProblem).join("\n")}`,
    );
  if (edited.slug !== scenario.slug)
    throw invalid(
      `The body's field "edits.scenario_diff" changes the slug "${scenario.slug}": a replay is of the same scenario.`,
    );
  return { scenario: edited, text };
}

/** @throws AppError `invalid_request` naming the one that is no unified diff */
export function checkSourceDiffs(diffs: NonNullable<Edits["source_diffs"]>): void {
  diffs.forEach(({ path, diff }, index) => {
    named(`The body's field "edits.source_diffs.${index}.diff" (${path})`, () => readUnifiedDiff(diff));
  });
}

function named<Value>(field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof DiffError) throw invalid(`${field} ${error.message}.`);
    throw error;
  }
}

/** Compiles a file; what it uses is taken as it is now, for only the file itself is kept with a run. */
export async function compileWithUsed(
  deps: Pick<Deps, "store">,
  orgId: string,
  file: ScenarioFile,
): Promise<Compiled & { used: Record<string, ScenarioFile> }> {
  const used = new Map<string, ScenarioFile | null>();
  for (;;) {
    const asked: string[] = [];
    const compiled = compileScenario(file, (slug) => {
      if (!used.has(slug)) asked.push(slug);
      return used.get(slug) ?? null;
    });
    if (asked.length === 0) {
      const found = [...used].filter((one): one is [string, ScenarioFile] => one[1] !== null);
      return { ...compiled, used: Object.fromEntries(found) };
    }
    for (const slug of asked) {
      const row = await findScenarioFile(deps.store.records, orgId, slug);
      used.set(slug, row?.source == null ? null : { name: row.path ?? slug, text: row.source });
    }
  }
}
