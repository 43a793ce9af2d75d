import { mkdir, rm } from "node:fs/promises";
import { UNPACKED_PREFIX } from "../../../store/files/warm-events.ts";
import type { Work } from "../../../store/files/work.ts";
import type { Deps } from "../../deps.ts";
import { TIERS_PREFIX } from "../files/work-folder.ts";

const PREFIX = "process-";
/** Of bodies that live capture was receiving. */
export const CAPTURE_PREFIX = "capture-";

/**
 * A new, empty folder among the work in progress for the files one attempt makes. What earlier attempts on the same trace left
 * goes: one that still writes there has lost its lease and fails.
 */
export async function openWorkFolder(work: Work, traceId: string, attempt: string): Promise<string> {
  const mine = `${PREFIX}${traceId}-`;
  await work.sweep(mine);
  const folder = work.path(`${mine}${attempt}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export async function closeWorkFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Removes what a crash left of work in progress: nothing of it was acknowledged. Call it at start, before work begins. */
export async function sweepWork({ store, log }: Pick<Deps, "store" | "log">): Promise<void> {
  for (const prefix of [PREFIX, CAPTURE_PREFIX, TIERS_PREFIX, UNPACKED_PREFIX])
    for (const { name, error } of await store.work.sweep(prefix))
      log.warn("what a crash has left cannot be removed, and takes room until it can", { name, error });
}
