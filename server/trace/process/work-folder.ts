import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fsyncFolder } from "../../../store/blobs/sync.ts";
import type { Layout } from "../../../store/layout.ts";

const PREFIX = "process-";
/** Of bodies that live capture was receiving. */
export const CAPTURE_PREFIX = "capture-";

/**
 * A new, empty folder below `<data>/tmp` for the files one attempt makes. What earlier attempts on the same trace left
 * goes: one that still writes there has lost its lease and fails.
 */
export async function openWorkFolder(layout: Layout, traceId: string, attempt: string): Promise<string> {
  const mine = `${PREFIX}${traceId}-`;
  for (const name of await readdir(layout.tmp))
    if (name.startsWith(mine)) await rm(join(layout.tmp, name), { recursive: true, force: true });
  const folder = join(layout.tmp, `${mine}${attempt}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export async function closeWorkFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Moves finished, fsynced files into the trace's folder, in this order, and makes the moves durable. */
export async function moveIntoTrace(
  work: string,
  traceFolder: string,
  names: readonly string[],
): Promise<void> {
  for (const name of names) await rename(join(work, name), join(traceFolder, name));
  if (names.length > 0) await fsyncFolder(traceFolder);
}

/** Removes what a crash left of attempts and of bodies that were never acknowledged. Call it at start, before work begins. */
export async function sweepWork({ layout }: { layout: Layout }): Promise<void> {
  for (const name of await readdir(layout.tmp))
    if (name.startsWith(PREFIX) || name.startsWith(CAPTURE_PREFIX))
      await rm(join(layout.tmp, name), { recursive: true, force: true });
}
