import { join } from "node:path";

/** The command that a server starts runner processes with. */
export const RUN_WORKER = "run-worker";

/** This program's command line for it: the executable, or Bun on the source. */
export function runnerCommand(): string[] {
  const program = Bun.isStandaloneExecutable
    ? [process.execPath]
    : [process.execPath, join(import.meta.dir, "..", "..", "..", "cli.ts")];
  return [...program, RUN_WORKER];
}
