import type { Store } from "../../store/store.ts";
import type { CommitDeps } from "../jobs/commit.ts";
import type { Ids } from "../platform/ids.ts";
import { createKeyedLock, type KeyedLock } from "../platform/keyed-lock.ts";
import { createSharedReads, type SharedReads } from "./events/shared-reads.ts";
import { createWarmEvents, type WarmEvents } from "./files/warm-events.ts";
import { createWorkFolder, type WorkFolder } from "./files/work-folder.ts";
import { createOpenings, type Openings } from "./share/openings.ts";
import { createSnapshotCaches, type SnapshotCaches } from "./snapshots/caches.ts";

/** What the rooms of this wing hold in memory between requests and jobs: one for each process that opens a store. */
export interface TraceState {
  /** By trace: what adds to a capture or ends it. */
  captureLock: KeyedLock;
  /** By trace: what moves its files, so that a job that clears away never meets one that brings back. */
  fileLock: KeyedLock;
  openings: Openings;
  workFolder: WorkFolder;
  warmEvents: WarmEvents;
  sharedReads: SharedReads;
  snapshotCaches: SnapshotCaches;
}

export function createTraceState(deps: CommitDeps & { store: Store; ids: Pick<Ids, "uuid"> }): TraceState {
  const { store, ids } = deps;
  const workFolder = createWorkFolder(store.layout.tmp, ids);
  return {
    captureLock: createKeyedLock(),
    fileLock: createKeyedLock(),
    openings: createOpenings(deps),
    workFolder,
    warmEvents: createWarmEvents({ store, ids, workFolder }),
    sharedReads: createSharedReads(),
    snapshotCaches: createSnapshotCaches(),
  };
}
