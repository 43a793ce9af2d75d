import { closeSync, fsync as fsyncFd, openSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { syncDisk, WORTH_IT } from "./sync-disk.ts";

const AT_ONCE = 16;

/** A few at a time: fsyncs of one disk gain from company, but thousands of open files help nobody. */
export async function forEachLimited<T>(
  items: readonly T[],
  each: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await each(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}

/** Writes a file's bytes to the disk itself, not only to the system's memory. */
export async function fsyncFile(path: string): Promise<void> {
  await fsync(path, "r+");
}

/** Makes renames and removals in a folder survive a power cut. Windows has no such call and does it by itself. */
export async function fsyncFolder(path: string): Promise<void> {
  if (process.platform !== "win32") await fsync(path, "r");
}

const sync = promisify(fsyncFd);

/** Opened and closed at once: a trip to another thread for either costs several times as much, and an upload has hundreds of files. */
async function fsync(path: string, flags: string): Promise<void> {
  const file = openSync(path, flags);
  try {
    await sync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes renames and removals in folders of one file system survive a power cut. */
export async function fsyncFolders(paths: readonly string[]): Promise<void> {
  const isDone = paths.length >= WORTH_IT && (await syncDisk(paths[0]!));
  if (!isDone) await forEachLimited(paths, fsyncFolder);
}

/** Brings files to the disk while others are still being written. */
export interface Durability {
  /** Begins to bring a file to the disk that is written to its end. */
  add(path: string): void;
  /** Resolves when every file is on the disk, rejects when one could not be brought there. */
  settled(): Promise<void>;
}

/** Few at once: each takes a thread that the whole process shares. Files of one file system that come faster than that go together. */
export function createDurability(atOnce = 4): Durability {
  let waiting: string[] = [];
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  let isTogether = false;
  let canGoTogether = true;

  function run(work: Promise<void>) {
    const one = work
      .catch((error) => {
        failure ??= { error };
      })
      .finally(() => {
        running.delete(one);
        start();
      });
    running.add(one);
  }

  async function together(paths: string[]): Promise<void> {
    isTogether = true;
    try {
      if (await syncDisk(dirname(paths[0]!))) return;
      canGoTogether = false;
      waiting.push(...paths);
    } finally {
      isTogether = false;
    }
  }

  function start() {
    if (isTogether) return;
    if (canGoTogether && waiting.length >= WORTH_IT) {
      const paths = waiting;
      waiting = [];
      return run(together(paths));
    }
    while (waiting.length > 0 && running.size < atOnce) run(fsyncFile(waiting.shift()!));
  }

  return {
    add(path) {
      waiting.push(path);
      start();
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}
