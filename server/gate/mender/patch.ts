import { createHash } from "node:crypto";
import type { Deps } from "../../deps.ts";
import { compileWithUsed } from "../../run/replays/edits.ts";
import type { SourcePatch } from "../diagnosis/types.ts";
import { judgePath } from "../guardrails/paths.ts";
import { judgeScenario, type Refusal, type StepChanges } from "../guardrails/scenario.ts";
import type { Grounds } from "../guardrails/step.ts";
import { diffOf } from "../scenario-edit/edit.ts";

/** A change of files that the guardrails have looked through. */
export interface JudgedPatch {
  /** Unified diff of the scenario's file; empty when it stays. */
  diff: string;
  hash: string;
  refusals: Refusal[];
  changes: StepChanges;
}

/**
 * Holds a changed scenario file and patches of other files against every guardrail, whatever made them.
 * @param file as it is; `name` is its path
 * @param text as it is to be
 * @param grounds what else is known of it, and patches of other files
 */
export async function judgePatch(
  deps: Pick<Deps, "store" | "config">,
  orgId: string,
  file: { name: string; text: string },
  text: string,
  { sources, ...grounds }: Grounds & { sources: readonly SourcePatch[] },
): Promise<JudgedPatch> {
  const { mender, code_host } = deps.config.settings;
  const refusals: Refusal[] = [];
  let changes: StepChanges = { replaced: [], added: [] };
  const isChanged = text !== file.text;
  if (isChanged) {
    const before = await compileWithUsed(deps, orgId, file);
    const after = await compileWithUsed(deps, orgId, { name: file.name, text });
    if (!before.scenario || !after.scenario)
      refusals.push({ rule: "step", message: "The patch makes a scenario that does not compile." });
    else {
      const judged = judgeScenario(
        before.scenario,
        after.scenario,
        { before: file.text, after: text },
        grounds,
      );
      refusals.push(...judged.refusals);
      changes = judged.changes;
    }
  }
  for (const path of [...(isChanged ? [file.name] : []), ...sources.map((source) => source.path)]) {
    const refused = await judgePath(path, mender.forbidden_paths, code_host.repository_path);
    if (refused) refusals.push(refused);
  }
  for (const { path } of sources)
    if (/\.scenario\.md$/i.test(path))
      refusals.push({
        rule: "path",
        message: `The patch changes ${path} as a source: scenarios are changed step by step.`,
      });
  const diff = isChanged ? diffOf(file.name, file.text, text) : "";
  return {
    diff,
    hash: hashOf([diff, ...sources.map((source) => `${source.path}\n${source.diff}`)]),
    refusals,
    changes,
  };
}

/** What patches take away and add, wherever it stands: the same change at another line is the same patch. */
export function hashOf(diffs: readonly string[]): string {
  const lines = diffs.flatMap((diff) =>
    diff
      .split("\n")
      .filter((line) => /^[+-](?![+-]{2} )/.test(line))
      // A step's number says only where it stands.
      .map((line) => line.replace(/^([+-] {0,3})\d{1,9}([.)])/, "$1$2").trimEnd()),
  );
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}
