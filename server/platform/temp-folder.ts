import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives this process a temporary folder of its own, which everything that it starts uses too: whoever ends them by force
 * can remove what they leave. Call it before anything asks for the system's.
 * @returns its absolute path
 */
export function takeTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `tracedeck-runner-${process.ppid}-`));
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  return folder;
}

/** Removes it with all that is in it; what is still being written is waited for a little. */
export function removeTempFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** A new, empty folder for files of a moment; whoever asked for it removes it. */
export const tempFolder = (): string => mkdtempSync(join(tmpdir(), "tracedeck-"));
