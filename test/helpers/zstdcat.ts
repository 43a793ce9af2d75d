import { readFileSync } from "node:fs";

/** The text of a zstd file by the real `zstdcat`, or by Bun's decoder on a machine that has none. */
export function zstdcat(path: string): string {
  const program = Bun.which("zstdcat");
  if (!program) return Bun.zstdDecompressSync(readFileSync(path)).toString();
  return Bun.spawnSync([program, path]).stdout.toString();
}
