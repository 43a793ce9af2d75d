import type { CompiledScenario } from "../../run/language/ast.ts";
import { compileScenario, MAX_PROBLEMS } from "../../run/language/compile.ts";
import { indexBySlug } from "../../run/language/folder.ts";
import type { ScheduleRules } from "../../run/language/frontmatter.ts";
import { doubleSlug, type Problem } from "../../run/language/problem.ts";
import { recordingPaths } from "../../run/language/recording-paths.ts";
import type { RepositoryFile } from "../code-host/types.ts";

/** The scenario files of a commit, as the worker gets them. */
export interface HeadInput {
  files: RepositoryFile[];
  /** Those of the commit that the change began at; null where nobody knows them. */
  before: RepositoryFile[] | null;
  rules: ScheduleRules;
}

export interface HeadScenario {
  path: string;
  text: string;
  scenario: CompiledScenario;
  /** Paths of every file that it is made from, its own and its recordings among them. */
  madeFrom: string[];
  /** Paths of the recordings that its clones answer from, by the name that it gives them. */
  recordings: Record<string, string>;
}

/** Something that keeps a scenario file from being compiled; `isNew` unless the file did not compile before the change either. */
export interface FileProblem {
  path: string;
  line: number;
  column: number;
  message: string;
  isNew: boolean;
}

/** Those that compile, and what is wrong with the others: what is new first. */
export interface HeadOutput {
  ready: HeadScenario[];
  problems: FileProblem[];
}

/** Compiles the scenario files of a commit, off the main thread, and those of before where something is wrong with them. */
export async function compileHead({ files, before, rules }: HeadInput): Promise<HeadOutput> {
  const head = compileFiles(files, rules);
  if (head.broken.size === 0) return { ready: head.ready, problems: [] };
  const known = before && compileFiles(before, rules).broken;
  // A file that was moved is known by what it holds.
  const there = new Set(files.map(({ path }) => path));
  const texts = new Set([...(known ?? [])].flatMap(([path, text]) => (there.has(path) ? [] : [text])));
  const wasBroken = (path: string): boolean =>
    known !== null && (known.has(path) || texts.has(head.broken.get(path)!));
  const told = new Map<string, FileProblem>();
  for (const { main, problem } of head.problems) {
    const { file, line, column, message } = problem;
    // A file that others use is told of with each of them; what is wrong may also lie in a use of it alone.
    const isNew = !wasBroken(head.broken.has(file) ? file : main);
    const key = `${file}:${line}:${column}: ${message}`;
    const isKnown = told.get(key)?.isNew === true;
    told.set(key, { path: file, line, column, message, isNew: isNew || isKnown });
  }
  const problems = [...told.values()].sort((a, b) => Number(b.isNew) - Number(a.isNew));
  return { ready: head.ready, problems: problems.slice(0, MAX_PROBLEMS) };
}

interface CompiledFiles {
  ready: HeadScenario[];
  /** Texts of the files that do not compile, by path. */
  broken: Map<string, string>;
  /** Each with the file that was compiled, which may not be the one that it lies in. */
  problems: { main: string; problem: Problem }[];
}

function compileFiles(files: readonly RepositoryFile[], rules: ScheduleRules): CompiledFiles {
  const named = files.map(({ path, text }) => ({ name: path, text }));
  const find = indexBySlug(named);
  const bySlug = new Map<string, HeadScenario>();
  const broken = new Map<string, string>();
  const problems: CompiledFiles["problems"] = [];
  for (const file of named) {
    const { scenario, problems: found } = compileScenario(file, find, rules);
    const other = scenario && bySlug.get(scenario.slug);
    if (!scenario || other) {
      broken.set(file.name, file.text);
      const all = other ? [doubleSlug(file.name, other.scenario.slug, other.path)] : found;
      problems.push(...all.map((problem) => ({ main: file.name, problem })));
      continue;
    }
    const recordings = recordingPaths(file.name, scenario);
    const steps = scenario.steps.map(({ at }) => at.file);
    const madeFrom = [...new Set([file.name, ...steps, ...Object.values(recordings)])];
    bySlug.set(scenario.slug, { path: file.name, text: file.text, scenario, madeFrom, recordings });
  }
  return { ready: [...bySlug.values()], broken, problems };
}
