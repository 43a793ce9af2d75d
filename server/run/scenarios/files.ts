import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Compiled, compileScenario, type ScenarioFile } from "../language/compile.ts";
import { indexBySlug } from "../language/folder.ts";

export const SCENARIO_SUFFIX = ".scenario.md";
/** A scenario is written by people; what is larger is something else. */
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 5000;
/** Whether the folder has to be read at all: it may be a large one. */
const USES = /^ {0,3}\d+[.)]\s+use\b/m;
const SKIPPED = /^(\.|node_modules$)/;

/**
 * Compiles a scenario file; `use` finds what lies in its folder and below.
 * @throws Error that names the file and what is wrong with it
 */
export async function compileFile(path: string): Promise<Compiled> {
  const file = await readScenario(path);
  const neighbours = USES.test(file.text) ? await readFolder(dirname(path)) : [];
  return compileScenario(file, indexBySlug([file, ...neighbours]));
}

/** Every scenario file in a folder and below, in the order of their paths. */
export async function readFolder(folder: string): Promise<ScenarioFile[]> {
  return Promise.all((await list(folder)).map(readScenario));
}

async function list(folder: string): Promise<string[]> {
  const found: string[] = [];
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (SKIPPED.test(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile() && entry.name.endsWith(SCENARIO_SUFFIX)) found.push(path);
    }
    if (found.length > MAX_FILES) throw new Error(`${folder} holds more than ${MAX_FILES} scenario files.`);
  }
  return found.sort();
}

async function readScenario(path: string): Promise<ScenarioFile> {
  const { size } = await stat(path);
  if (size > MAX_BYTES)
    throw new Error(`${path} has ${size} bytes; a scenario file has at most ${MAX_BYTES}.`);
  return { name: path, text: await readFile(path, "utf8") };
}
