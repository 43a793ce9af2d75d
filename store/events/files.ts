import { closeSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type EventAppender, type OpenAppender, openAppendedFile } from "./appender.ts";
import { type ByteCache, createByteCache } from "./cache.ts";
import { fileSize, syncFolder } from "./disk.ts";
import { createOpenFile, type OpenEventFile } from "./event-file.ts";
import { type EventIndex, StaleIndexError } from "./index.ts";
import { createIndexBuilder } from "./index-builder.ts";
import { openIndexFile } from "./index-reader.ts";
import { runQuery } from "./query.ts";
import { identify, rebuildIndex } from "./rebuild.ts";
import { scanFrames } from "./scan.ts";
import type { EventFile } from "./types.ts";

/** Opened event files with their indexes and recent frames kept in bounded memory. */
export interface EventFiles {
  /**
   * Opens a trace's events, or hands out what is open. A missing, damaged or foreign index is made anew. Handles need
   * no closing and stay good after a swap.
   * @throws DamagedFileError, or the file system's error when there is no such file.
   */
  open(path: string, indexPath: string): Promise<EventFile>;
  /** The growing file of a running trace; the same one for all who ask until it is finished. */
  openAppender(path: string, indexPath: string): Promise<EventAppender>;
  /**
   * Puts a rewritten event file and its index in the place of the old ones. Readers see the old ones or the new ones.
   * A crash between the two renames leaves a foreign index, which the next `open` makes anew.
   */
  swap(from: { path: string; indexPath: string }, to: { path: string; indexPath: string }): Promise<void>;
  /** Forgets what is open at a path: after it was removed or replaced by other means than `swap`. */
  invalidate(path: string): void;
  /** Closes every file; running traces' files stay as they are, for the next start to go on with. */
  close(): void;
}

interface Held {
  file: OpenEventFile;
  /** Inode, size and time of change of the file that was opened. */
  stamp: string;
}

/** @param options.cacheBytes bound on unpacked frames and index parts together. @param options.maxOpen files held open. */
export function createEventFiles(options: { cacheBytes?: number; maxOpen?: number } = {}): EventFiles {
  const { cacheBytes = 64 << 20, maxOpen = 64 } = options;
  const cache = createByteCache(cacheBytes);
  const held = new Map<string, Promise<Held>>();
  const appenders = new Map<string, Promise<OpenAppender>>();
  let nextOwner = 0;

  const owner = () => `${++nextOwner}/`;

  function forget(path: string) {
    const opened = held.get(path);
    held.delete(path);
    opened?.then(({ file }) => file.retire()).catch(() => {});
  }

  async function current(path: string, indexPath: string): Promise<OpenEventFile> {
    const known = held.get(path);
    if (known) {
      const opened = await known;
      if (!opened.file.isRetired && opened.stamp === stampOf(path)) {
        if (held.get(path) === known) {
          held.delete(path);
          held.set(path, known);
        }
        return opened.file;
      }
      if (held.get(path) === known) forget(path);
    }
    return (await hold(path, indexPath)).file;
  }

  function hold(path: string, indexPath: string): Promise<Held> {
    const again = held.get(path);
    if (again) return again;
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
    if (running) return openRunning(path, running);
    return openClosed(path, indexPath, cache, owner());
  }

  // A running trace's file grows without becoming another one, so its stamp is looked at only once it is finished.
  function openRunning(path: string, appender: OpenAppender): Held {
    const fd = openSync(path, "r");
    const file = createOpenFile({ fd, fds: [fd], index: appender.index, cache, owner: owner() });
    return {
      file,
      get stamp() {
        return appenders.has(path) ? stampOf(path) : "finished";
      },
    };
  }

  async function retrying<Value>(
    path: string,
    indexPath: string,
    work: (file: OpenEventFile) => Promise<Value>,
  ) {
    const file = await current(path, indexPath);
    try {
      return await file.use(() => work(file));
    } catch (error) {
      if (!(error instanceof StaleIndexError)) throw error;
      await rebuildIndex(path, indexPath);
      forget(path);
      const rebuilt = await current(path, indexPath);
      return rebuilt.use(() => work(rebuilt));
    }
  }

  return {
    async open(path, indexPath) {
      const first = await current(path, indexPath);
      async function* lineBatches(fromSeq?: number) {
        yield* (await current(path, indexPath)).batches(fromSeq);
      }
      return {
        get info() {
          return first.source.index.info();
        },
        query: (query) => retrying(path, indexPath, (file) => runQuery(file.source, query)),
        lineBatches,
        async *lines(fromSeq) {
          for await (const batch of lineBatches(fromSeq)) yield* batch;
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
    async swap(from, to) {
      // Both in one go: nothing else of this process can look in between.
      renameSync(from.path, to.path);
      renameSync(from.indexPath, to.indexPath);
      forget(to.path);
      await syncFolder(dirname(to.path));
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

/** Opens file and index in one go, so that a swap cannot come in between. */
async function openClosed(path: string, indexPath: string, cache: ByteCache, owner: string): Promise<Held> {
  for (let attempt = 0; ; attempt++) {
    const stamp = stampOf(path);
    const fd = openSync(path, "r");
    const fds = [fd];
    try {
      const identity = identify(fd);
      if (!identity) {
        const index = createIndexBuilder();
        await scanFrames(fd, fileSize(fd), index);
        return { file: createOpenFile({ fd, fds, index, cache, owner }), stamp };
      }
      const indexFd = openIfThere(indexPath);
      if (indexFd === null) throw new StaleIndexError("There is no index.");
      fds.push(indexFd);
      const index: EventIndex = openIndexFile(indexFd, identity, cache, owner);
      return { file: createOpenFile({ fd, fds, index, cache, owner }), stamp };
    } catch (error) {
      for (const each of fds) closeSync(each);
      if (!(error instanceof StaleIndexError) || attempt > 0) throw error;
      await rebuildIndex(path, indexPath);
    }
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
