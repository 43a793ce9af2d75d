import { posix } from "node:path";
import type { CompiledScenario } from "./ast.ts";

/** Where the HARs lie that a scenario's clones answer from, by the name that it gives them. @param path of the scenario's file, with slashes */
export function recordingPaths(
  path: string,
  { clones }: Pick<CompiledScenario, "clones">,
): Record<string, string> {
  const folder = posix.dirname(path);
  return Object.fromEntries(
    clones.flatMap(({ har }) => (har === undefined ? [] : [[har, posix.join(folder, har)]])),
  );
}
