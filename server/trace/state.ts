import type { Store } from "../../store/store.ts";
import type { CommitDeps } from "../jobs/commit.ts";
import type { Ids } from "../platform/ids.ts";
import { createKeyedLock, type KeyedLock } from "../platform/keyed-lock.ts";
import { createSharedReads, type SharedReads } from "./events/shared-reads.ts";
import { createWorkFolder, type WorkFolder } from "./files/work-folder.ts";
import { createModelHabits, type ModelHabits } from "./language-model/endpoint.ts";
import { createKeptScreens, type KeptScreens } from "./pages/kept-screens.ts";
import { createReadAheads, type ReadAheads } from "./read-ahead.ts";
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
  sharedReads: SharedReads;
  snapshotCaches: SnapshotCaches;
  screens: KeptScreens;
  /** By trace: what was read of its archive while it came in, for the job that processes it. */
  readAheads: ReadAheads;
  /** What the model's endpoint turned out not to take. */
  modelHabits: ModelHabits;
  /** Ids of the answers that this server is writing in chats. */
  answering: Set<string>;
  /** Traces with a damaged file: until when (epoch ms) their move to the next tier is not tried again. */
  unmovable: Map<string, number>;
  /** The level of zstd that the events of a finished trace are stored at. */
  finishedLevel: number;
}

/** What the specification asks for: about 1 MB/s on one core. */
export const FINISHED_LEVEL = 19;

export function createTraceState(
  deps: CommitDeps & { store: Store; ids: Pick<Ids, "uuid">; finishedLevel?: number | undefined },
): TraceState {
  const { store, ids, finishedLevel = FINISHED_LEVEL } = deps;
  return {
    captureLock: createKeyedLock(),
    fileLock: createKeyedLock(),
    openings: createOpenings(deps),
    workFolder: createWorkFolder(store.work, ids),
    sharedReads: createSharedReads(),
    snapshotCaches: createSnapshotCaches(),
    screens: createKeptScreens(),
    readAheads: createReadAheads(),
    modelHabits: createModelHabits(),
    answering: new Set(),
    unmovable: new Map(),
    finishedLevel,
  };
}
