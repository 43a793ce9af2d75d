import { readFile, stat } from "node:fs/promises";
import { fileWithin } from "../../platform/file-within.ts";
import { LARGEST_HAR } from "../clones/har.ts";
import type { Recordings } from "../clones/set.ts";
import type { CompiledScenario } from "../language/ast.ts";

/**
 * Reads the HARs that a scenario's clones answer from.
 * @param folder of the scenario file; what lies outside of it is refused
 * @throws Error that names the file and what is wrong with it
 */
export async function readRecordings(
  { clones }: Pick<CompiledScenario, "clones">,
  folder: string,
): Promise<Recordings> {
  const recordings: Record<string, string> = {};
  for (const name of new Set(clones.flatMap(({ har }) => har ?? []))) {
    const path = await fileWithin(folder, name);
    const found = await stat(path);
    if (found.size > LARGEST_HAR) throw new Error(`${name} is larger than 64 MiB.`);
    recordings[name] = await readFile(path, "utf8");
  }
  return recordings;
}
