import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Compiled, compileScenario, type ScenarioFile } from "../language/compile.ts";
import { indexBySlug } from "../language/folder.ts";
import type { ScheduleRules } from "../language/frontmatter.ts";
import { columnOf, formatProblem, type Problem } from "../language/problem.ts";

export const SCENARIO_SUFFIX = ".scenario.md";
/** A scenario is written by people; what is larger is something else. */
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 5000;
/** Whether the folder has to be read at all: it may be a large one. */
const USES = /^ {0,3}\d+[.)]\s+use\b/m;
const SKIPPED = /^(\.|node_modules$)/;

/** Files that cannot be read as scenarios; the message is for people, one line for each. */
export class ScenarioFileError extends Error {
  override name = "ScenarioFileError";
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super(problems.map(formatProblem).join("\n"));
    this.problems = problems;
  }
}

/** Compiles a scenario file under these rules for its schedule; `use` finds what lies in its folder and below. What cannot be read is a problem of the file. */
export async function compileFile(path: string, rules: ScheduleRules | null = null): Promise<Compiled> {
  try {
    const file = await readScenario(path);
    const folder = USES.test(file.text) ? await readFolder(dirname(path)) : [];
    // It stands in its own folder too, perhaps under another spelling of its path.
    const others = folder.filter(({ name }) => resolve(name) !== resolve(path));
    return compileScenario(file, indexBySlug([file, ...others]), rules);
  } catch (error) {
    if (!(error instanceof ScenarioFileError)) throw error;
    return { scenario: null, problems: error.problems };
  }
}

/**
 * Every scenario file in a folder and below, in the order of their paths.
 * @param onLink is told links that are called like scenarios: they are not followed, for they may lead anywhere
 * @throws ScenarioFileError with everything that cannot be read
 */
export async function readFolder(
  folder: string,
  onLink: (path: string) => void = () => {},
): Promise<ScenarioFile[]> {
  const files: ScenarioFile[] = [];
  const problems: Problem[] = [];
  for (const path of await list(folder, onLink)) {
    try {
      files.push(await readScenario(path));
    } catch (error) {
      if (!(error instanceof ScenarioFileError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ScenarioFileError(problems);
  return files;
}

async function list(folder: string, onLink: (path: string) => void): Promise<string[]> {
  const found: string[] = [];
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (SKIPPED.test(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (!entry.name.endsWith(SCENARIO_SUFFIX)) continue;
      else if (entry.isFile()) found.push(path);
      else if (entry.isSymbolicLink()) onLink(path);
    }
    if (found.length > MAX_FILES)
      throw unusable(folder, `the folder holds more than ${MAX_FILES} scenario files`);
  }
  return found.sort();
}

async function readScenario(path: string): Promise<ScenarioFile> {
  const found = await stat(path).catch(() => null);
  if (!found) throw unusable(path, "there is no such file");
  if (found.isDirectory()) throw unusable(path, "this is a folder; a scenario file was expected");
  if (!found.isFile()) throw unusable(path, "this is no plain file; a scenario file was expected");
  if (found.size > MAX_BYTES)
    throw unusable(path, `the file has ${found.size} bytes; at most ${MAX_BYTES} were expected`);
  const bytes = await readFile(path).catch((error: Error) => {
    throw unusable(path, `the file cannot be read: ${error.message}`);
  });
  return { name: path, text: decode(path, bytes) };
}

/** Bytes that mean nothing would become text that stands on no page. */
function decode(path: string, bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw unusable(path, "the file is UTF-16: save it as UTF-8");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\uFFFD")[0] ?? "";
    const lines = before.split(/\r\n|\n|\r/);
    throw unusable(path, "what stands here is not UTF-8: save the file as UTF-8", {
      line: lines.length,
      column: columnOf(lines.at(-1) ?? "", lines.at(-1)?.length ?? 0),
    });
  }
}

/** By its byte order mark. */
const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

const unusable = (file: string, message: string, { line, column } = { line: 1, column: 1 }) =>
  new ScenarioFileError([{ file, line, column, message, expected: [] }]);
