import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fsyncFolder } from "../blobs/sync.ts";
import type { EventAppender } from "../events/appender.ts";
import { createEventFiles } from "../events/files.ts";
import type { EventFile } from "../events/types.ts";
import { layout } from "../layout.ts";
import type { Files, Lease } from "./files.ts";
import { growingKey } from "./keys.ts";
import { eventIndexPath } from "./names.ts";
import { createWarmEvents, type EventsLease, type PackedEvents } from "./warm-events.ts";
import type { Work } from "./work.ts";

/** Where the events of a trace lie: in a file of their own with the index beside it, by its key, or in the trace's pack. */
export type EventsPlace = { key: string } | PackedEvents;

/** The events of traces, with their indexes and recent frames kept in bounded memory. */
export interface StoredEvents {
  /**
   * Opens a trace's events, or hands out what is open. A missing, damaged or foreign index is made anew. Handles need
   * no closing.
   * @throws DamagedFileError, or the file system's error when there is no such file
   */
  open(place: EventsPlace): Promise<EventFile>;
  /** The event file and its index by their paths, for another thread or process. @throws as `open` */
  lease(place: EventsPlace): Promise<EventsLease>;
  /** The growing file of a running trace, at its `growingKey`; the same one for all who ask until it is finished. */
  openAppender(traceId: string): Promise<EventAppender>;
  /** Forgets what is open of a file that was removed or replaced. */
  invalidate(key: string): void;
  /** Closes every file; running traces' files stay as they are, for the next start to go on with. */
  close(): void;
}

export function createStoredEvents(dataDir: string, files: Files, work: Work): StoredEvents {
  const paths = layout(dataDir);
  const opened = createEventFiles();
  const warm = createWarmEvents({ files, work, forget: opened.invalidate });

  /** Null where it has to be made. */
  async function leaseIndex(key: string): Promise<Lease | null> {
    try {
      return await files.local(key);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  async function lease(place: EventsPlace): Promise<EventsLease> {
    if (!("key" in place)) return warm.lease(place);
    const events = await files.local(place.key);
    const index = await leaseIndex(eventIndexPath(place.key));
    return {
      path: events.path,
      indexPath: eventIndexPath(events.path),
      release() {
        events.release();
        index?.release();
      },
    };
  }

  async function within<Result>(place: EventsPlace, use: (at: EventsLease) => Promise<Result>) {
    const at = await lease(place);
    try {
      return await use(at);
    } finally {
      at.release();
    }
  }

  return {
    lease,
    async open(place) {
      const file = await within(place, ({ path, indexPath }) => opened.open(path, indexPath));
      async function* lineBatches(fromSeq?: number) {
        const { release } = await lease(place);
        try {
          yield* file.lineBatches(fromSeq);
        } finally {
          release();
        }
      }
      return {
        get info() {
          return file.info;
        },
        query: (wanted) => within(place, () => file.query(wanted)),
        lineBatches,
        async *lines(fromSeq) {
          for await (const batch of lineBatches(fromSeq)) yield* batch;
        },
      };
    },
    async openAppender(traceId) {
      const path = files.whereabouts(growingKey(traceId));
      if (await mkdir(dirname(path), { recursive: true, mode: 0o700 })) await fsyncFolder(paths.traces);
      return opened.openAppender(path, eventIndexPath(path));
    },
    invalidate: (key) => opened.invalidate(files.whereabouts(key)),
    close: opened.close,
  };
}
