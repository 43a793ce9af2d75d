import { posix } from "node:path";
import type { RecordingRow } from "../../../store/records/recordings.ts";
import { readHar } from "../clones/har.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { compileScenario, MAX_PROBLEMS, type ScenarioFile } from "../language/compile.ts";
import { indexBySlug } from "../language/folder.ts";
import type { ScheduleRules } from "../language/frontmatter.ts";
import { doubleSlug, formatProblem } from "../language/problem.ts";

/** A folder of scenarios, as the worker gets it. */
export interface CompileInput {
  files: ScenarioFile[];
  recordings: { path: string; text: string }[];
  rules: ScheduleRules;
}

export interface ReadyScenario {
  file: ScenarioFile;
  scenario: CompiledScenario;
  recordings: RecordingRow[];
}

/** Nothing is ready when there are problems, each of them `file:line:column: message`. */
export type CompileOutput = { ready: ReadyScenario[]; problems: [] } | { ready: null; problems: string[] };

/** Compiles a folder, off the main thread. It stops at the hundredth problem: whoever solves these learns of the next. */
export async function compileFolder({ files, recordings, rules }: CompileInput): Promise<CompileOutput> {
  const hars = new Map(recordings.map(({ path, text }) => [path, text]));
  const find = indexBySlug(files);
  const problems: string[] = [];
  const bySlug = new Map<string, ReadyScenario>();
  for (const file of files) {
    if (problems.length >= MAX_PROBLEMS) {
      problems.push(`More problems of ${file.name} and other files are told when some are solved.`);
      break;
    }
    const { scenario, problems: found } = compileScenario(file, find, rules);
    problems.push(...found.slice(0, MAX_PROBLEMS - problems.length).map(formatProblem));
    if (!scenario) continue;
    const other = bySlug.get(scenario.slug);
    if (other) problems.push(formatProblem(doubleSlug(file.name, scenario.slug, other.file.name)));
    else
      bySlug.set(scenario.slug, {
        file,
        scenario,
        recordings: await keptRecordings(scenario, file, hars, problems),
      });
  }
  return problems.length > 0 ? { ready: null, problems } : { ready: [...bySlug.values()], problems: [] };
}

async function keptRecordings(
  { clones }: CompiledScenario,
  file: ScenarioFile,
  hars: ReadonlyMap<string, string>,
  problems: string[],
): Promise<RecordingRow[]> {
  const kept: RecordingRow[] = [];
  for (const name of new Set(clones.flatMap(({ har }) => har ?? []))) {
    const text = hars.get(posix.join(posix.dirname(file.name), name));
    try {
      if (text === undefined) throw new Error("it is not among the recordings");
      readHar(text);
      const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
      kept.push({ name, hash, har: await Bun.zstdCompress(text, { level: 3 }) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(`${file.name}:1:1: ${name} is no HAR that could be answered from: ${why}`);
    }
  }
  return kept;
}
