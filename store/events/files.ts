import { closeSync, openSync, statSync } from "node:fs";
import { type EventAppender, type OpenAppender, openAppendedFile } from "./appender.ts";
import { createByteCache } from "./cache.ts";
import { fileSize } from "./disk.ts";
import { createOpenFile, type OpenEventFile } from "./event-file.ts";
import { type EventIndex, StaleIndexError } from "./index.ts";
import { createIndexBuilder } from "./index-builder.ts";
import { type EventFileIdentity, writeIndexFile } from "./index-file.ts";
import { openIndexFile } from "./index-reader.ts";
import { runQuery } from "./query.ts";
import { frameReader, identify, indexClosedFile } from "./rebuild.ts";
import { scanFrames } from "./scan.ts";
import type { EventFile, EventPage, EventQuery } from "./types.ts";

/** Opened event files with their indexes and recent frames kept in bounded memory. */
export interface EventFiles {
  /**
   * Opens a trace's events, or hands out what is open. A missing, damaged or foreign index is made anew. Handles need
   * no closing.
   * @throws DamagedFileError, or the file system's error when there is no such file.
   */
  open(path: string, indexPath: string): Promise<EventFile>;
  /** The growing file of a running trace; the same one for all who ask until it is finished. */
  openAppender(path: string, indexPath: string): Promise<EventAppender>;
  /** Forgets what is open at a path: after it was removed or replaced. */
  invalidate(path: string): void;
  /** Closes every file; running traces' files stay as they are, for the next start to go on with. */
  close(): void;
}

interface Held {
  file: OpenEventFile;
  /** Whether what is on disk is still what was opened. */
  isCurrent(): boolean;
}

/** @param options.cacheBytes bound on unpacked frames and index parts together. @param options.maxOpen files held open. */
export function createEventFiles(options: { cacheBytes?: number; maxOpen?: number } = {}): EventFiles {
  const { cacheBytes = 64 << 20, maxOpen = 64 } = options;
  const cache = createByteCache(cacheBytes);
  const held = new Map<string, Promise<Held>>();
  const appenders = new Map<string, Promise<OpenAppender>>();
  /** Files whose index turned out damaged in a part that opening does not look at. */
  const distrusted = new Set<string>();
  let nextOwner = 0;

  const owner = () => `${++nextOwner}/`;

  function forget(path: string) {
    const opened = held.get(path);
    held.delete(path);
    // A file that failed to open has told whoever asked for it.
    opened?.then(({ file }) => file.retire()).catch(() => {});
  }

  /** The caller has taken the file when this resolves, and lets it go. */
  async function take(path: string, indexPath: string): Promise<OpenEventFile> {
    for (;;) {
      const known = held.get(path);
      const opening = known ?? hold(path, indexPath);
      const opened = await opening;
      // Nothing comes between this look and the taking.
      if (!opened.file.isRetired && (!known || opened.isCurrent())) {
        opened.file.take();
        if (known && held.delete(path)) held.set(path, known);
        return opened.file;
      }
      if (held.get(path) === opening) forget(path);
    }
  }

  function hold(path: string, indexPath: string): Promise<Held> {
    const opening = load(path, indexPath);
    held.set(path, opening);
    opening.catch(() => held.get(path) === opening && held.delete(path));
    for (const oldest of held.keys()) {
      if (held.size <= maxOpen) break;
      forget(oldest);
    }
    return opening;
  }

  async function load(path: string, indexPath: string): Promise<Held> {
    const running = await appenders.get(path);
    if (running) {
      const fd = openSync(path, "r");
      const file = createOpenFile({ fd, fds: [fd], index: running.index, cache, owner: owner() });
      // It grows without becoming another file, until it is finished.
      return { file, isCurrent: () => appenders.has(path) };
    }
    const stamp = stampOf(path);
    const opened = await openStored(path, indexPath, !distrusted.delete(path));
    return {
      file: createOpenFile({ ...opened, cache, owner: owner() }),
      isCurrent: () => stampOf(path) === stamp,
    };
  }

  async function openStored(path: string, indexPath: string, isTrusted: boolean) {
    const fd = openSync(path, "r");
    const fds = [fd];
    try {
      const identity = identify(fd);
      if (!identity) {
        const index = createIndexBuilder();
        await scanFrames(fd, fileSize(fd), index);
        return { fd, fds, index };
      }
      const stored = isTrusted ? openStoredIndex(indexPath, identity, fds) : null;
      if (stored) return { fd, fds, index: stored };
      const builder = await indexClosedFile(fd, identity.framesEnd);
      const isSaved = await saveIndex({ builder, indexPath, identity, readFrame: frameReader(fd, builder) });
      return { fd, fds, index: (isSaved && openStoredIndex(indexPath, identity, fds)) || builder };
    } catch (error) {
      for (const each of fds) closeSync(each);
      throw error;
    }
  }

  /** Null when there is no index that fits the file. */
  function openStoredIndex(indexPath: string, identity: EventFileIdentity, fds: number[]): EventIndex | null {
    const fd = openIfThere(indexPath);
    if (fd === null) return null;
    try {
      const index = openIndexFile(fd, identity, cache, owner());
      fds.push(fd);
      return index;
    } catch (error) {
      closeSync(fd);
      if (error instanceof StaleIndexError) return null;
      throw error;
    }
  }

  async function query(path: string, indexPath: string, wanted: EventQuery): Promise<EventPage> {
    for (let attempt = 1; ; attempt++) {
      const file = await take(path, indexPath);
      try {
        return await runQuery(file.source, wanted);
      } catch (error) {
        if (!(error instanceof StaleIndexError) || attempt === 3) throw error;
        // Another query may have found out first.
        if (!file.isRetired) {
          distrusted.add(path);
          forget(path);
        }
      } finally {
        file.letGo();
      }
    }
  }

  async function* lineBatches(path: string, indexPath: string, fromSeq?: number) {
    const file = await take(path, indexPath);
    try {
      yield* file.batches(fromSeq);
    } finally {
      file.letGo();
    }
  }

  return {
    async open(path, indexPath) {
      const file = await take(path, indexPath);
      const { index } = file.source;
      file.letGo();
      return {
        get info() {
          return index.info();
        },
        query: (wanted) => query(path, indexPath, wanted),
        lineBatches: (fromSeq) => lineBatches(path, indexPath, fromSeq),
        async *lines(fromSeq) {
          for await (const batch of lineBatches(path, indexPath, fromSeq)) yield* batch;
        },
      };
    },
    async openAppender(path, indexPath) {
      const known = appenders.get(path);
      if (known) return known;
      forget(path);
      const opening = openAppendedFile(path, indexPath).then((appender) => ({
        ...appender,
        get info() {
          return appender.info;
        },
        async finish() {
          const info = await appender.finish();
          if (appenders.get(path) === opening) appenders.delete(path);
          forget(path);
          return info;
        },
      }));
      appenders.set(path, opening);
      opening.catch(() => appenders.delete(path));
      return opening;
    },
    invalidate: forget,
    close() {
      for (const path of [...held.keys()]) forget(path);
      for (const appender of appenders.values()) appender.then((each) => each.release()).catch(() => {});
      appenders.clear();
    },
  };
}

function stampOf(path: string): string {
  const { ino, size, mtimeMs } = statSync(path);
  return `${ino}:${size}:${mtimeMs}`;
}

/** False when there is no room or no right to keep the index: then it serves from memory, and is made again next time. */
async function saveIndex(index: Parameters<typeof writeIndexFile>[0]): Promise<boolean> {
  try {
    await writeIndexFile(index);
    return true;
  } catch (error) {
    if (["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM"].includes(codeOf(error))) return false;
    throw error;
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code);
