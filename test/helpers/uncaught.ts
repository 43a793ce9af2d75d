import { join } from "node:path";

/** The command line of a program in which an error that nothing waits for comes at SIGUSR2; `FAULT` says of what kind. */
export const withFaults = ([bun, ...program]: string[]): string[] => [
  bun!,
  "--preload",
  join(import.meta.dir, "uncaught-preload.ts"),
  ...program,
];
