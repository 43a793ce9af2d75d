import { mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DamagedFileError } from "../events/errors.ts";
import type { ByteLocation, Files } from "./files.ts";
import { TRACE_FILES } from "./names.ts";
import type { Work } from "./work.ts";
import { writeDurably } from "./write.ts";

/** A member of a trace's pack. */
export interface PackedFile {
  location: ByteLocation;
  sha256: string;
}

export interface PackedEvents {
  traceId: string;
  events: PackedFile;
  /** Null when the pack has none: it is made anew beside the events. */
  index: PackedFile | null;
}

/** An event file and its index on this machine's disk. They are there until they are released, and maybe longer. */
export interface EventsLease {
  path: string;
  indexPath: string;
  release(): void;
}

/** Event files of warm traces, taken out of their packs: reading at random needs files of their own. */
export interface WarmEvents {
  /**
   * The few that were read last are kept until the process ends, and those that are leased.
   * @throws DamagedFileError when the pack does not hold what the records say
   */
  lease(packed: PackedEvents): Promise<EventsLease>;
}

interface Unpacked {
  folder: string;
  users: number;
  ready: Promise<void>;
}

const MOST_KEPT = 8;
export const UNPACKED_PREFIX = "unpacked-";

/** @param forget called with the path of an event file that goes */
export function createWarmEvents(options: {
  files: Pick<Files, "stream" | "whereabouts">;
  work: Work;
  forget: (path: string) => void;
}): WarmEvents {
  const { files, work, forget } = options;
  const kept = new Map<string, Unpacked>();
  let home: Promise<string> | null = null;

  /** The first call clears away what earlier processes left. */
  async function makeHome(): Promise<string> {
    await work.sweep(UNPACKED_PREFIX);
    return mkdtemp(work.path(UNPACKED_PREFIX));
  }

  async function unpack({ events, index }: PackedEvents, folder: string): Promise<void> {
    const draft = await mkdtemp(`${folder}.`);
    await take(events, join(draft, TRACE_FILES.events));
    if (index) await take(index, join(draft, TRACE_FILES.eventIndex));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  }

  async function take({ location, sha256 }: PackedFile, path: string): Promise<void> {
    if ((await writeDurably(path, files.stream(location))).sha256 === sha256) return;
    throw new DamagedFileError(
      `${files.whereabouts(location.key)} does not hold at ${location.offset} the file that it should.`,
    );
  }

  async function begin(packed: PackedEvents, key: string): Promise<Unpacked> {
    home ??= makeHome();
    home.catch(() => {
      home = null;
    });
    const folder = join(await home, key);
    const known = kept.get(key);
    if (known) return known;
    const unpacked: Unpacked = { folder, users: 0, ready: unpack(packed, folder) };
    unpacked.ready.catch(() => kept.get(key) === unpacked && kept.delete(key));
    kept.set(key, unpacked);
    return unpacked;
  }

  function dropOldest(): void {
    for (const [key, { folder, users }] of kept) {
      if (kept.size <= MOST_KEPT) return;
      if (users > 0) continue;
      kept.delete(key);
      forget(join(folder, TRACE_FILES.events));
      void rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  }

  return {
    async lease(packed) {
      const key = `${packed.traceId}-${packed.events.sha256}`;
      const unpacked = await begin(packed, key);
      if (kept.delete(key)) kept.set(key, unpacked);
      unpacked.users += 1;
      let isHeld = true;
      const release = () => {
        if (!isHeld) return;
        isHeld = false;
        unpacked.users -= 1;
        dropOldest();
      };
      try {
        await unpacked.ready;
      } catch (error) {
        release();
        throw error;
      }
      const { folder } = unpacked;
      return {
        path: join(folder, TRACE_FILES.events),
        indexPath: join(folder, TRACE_FILES.eventIndex),
        release,
      };
    },
  };
}
