import type { CompiledScenario } from "../../run/language/ast.ts";
import { compileScenario, MAX_PROBLEMS } from "../../run/language/compile.ts";
import { indexBySlug } from "../../run/language/folder.ts";
import type { ScheduleRules } from "../../run/language/frontmatter.ts";
import { doubleSlug, type Problem } from "../../run/language/problem.ts";

/** The scenario files of a commit, as the worker gets them. */
export interface HeadInput {
  files: { path: string; text: string }[];
  rules: ScheduleRules;
}

export interface HeadScenario {
  path: string;
  text: string;
  scenario: CompiledScenario;
  /** Paths of every file that its steps come from, its own among them. */
  madeFrom: string[];
}

/** Those that compile, and what is wrong with the others. */
export interface HeadOutput {
  ready: HeadScenario[];
  problems: Problem[];
}

/** Compiles the scenario files of a commit, off the main thread. */
export async function compileHead({ files, rules }: HeadInput): Promise<HeadOutput> {
  const named = files.map(({ path, text }) => ({ name: path, text }));
  const find = indexBySlug(named);
  const bySlug = new Map<string, HeadScenario>();
  const problems: Problem[] = [];
  for (const file of named) {
    const { scenario, problems: found } = compileScenario(file, find, rules);
    problems.push(...found);
    if (!scenario) continue;
    const other = bySlug.get(scenario.slug);
    if (other) {
      problems.push(doubleSlug(file.name, scenario.slug, other.path));
      continue;
    }
    const madeFrom = [...new Set([file.name, ...scenario.steps.map(({ at }) => at.file)])];
    bySlug.set(scenario.slug, { path: file.name, text: file.text, scenario, madeFrom });
  }
  return { ready: [...bySlug.values()], problems: problems.slice(0, MAX_PROBLEMS) };
}
