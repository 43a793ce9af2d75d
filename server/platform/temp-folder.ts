import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new temporary folder for a process that this one starts: whoever ends it by force can remove what it leaves. */
export const tempFolderForChild = (): string =>
  mkdtempSync(join(tmpdir(), `tracedeck-runner-${process.pid}-`));

/** Makes it the temporary folder of this process and of all that it starts. Call it before anything asks for the system's. */
export function useTempFolder(folder: string): void {
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
}

/** Removes it with all that is in it; what is still being written is waited for a little. */
export function removeTempFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** A new, empty folder for files of a moment; whoever asked for it removes it. */
export const tempFolder = (): string => mkdtempSync(join(tmpdir(), "tracedeck-"));
