import { existsSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { forEachLimited, fsyncFolder, fsyncFolders } from "../blobs/sync.ts";
import { layout } from "../layout.ts";
import type { ByteLocation, Files, FilesAddress, NewFile } from "./files.ts";
import { blobKey, checkKey, coldKey, isKey, keyFor, traceKey, traceOfColdKey } from "./keys.ts";
import { createLeases } from "./leases.ts";
import { contentStream, type DiskLocation, openContent, readContent } from "./local-read.ts";
import { writeDurably } from "./write.ts";

const PRIVATE = { recursive: true, mode: 0o700 };

/** Files as files of a disk: a lease is the file itself, and a key the path below the data folder or the cold folder. */
export function createLocalFiles(address: FilesAddress): Files {
  const { root, coldDir } = address;
  const paths = layout(root);
  const leases = createLeases();

  const pathOf = (key: string): string => join(key.includes("/") ? root : coldDir, checkKey(key));

  function at({ key, ...rest }: ByteLocation): DiskLocation {
    return { ...rest, path: pathOf(key) };
  }

  async function size(key: string): Promise<number | null> {
    return sizeAt(pathOf(key));
  }

  /** @returns the file's key */
  async function moveIn(file: NewFile): Promise<string> {
    const key = keyFor(file);
    leases.want(key);
    const target = pathOf(key);
    if (await mkdir(dirname(target), PRIVATE)) await fsyncFolder(paths.traces);
    const isThere = file.sha256 !== null && (await sizeAt(target)) === (await stat(file.path)).size;
    // A file of another size is a damaged one: good bytes take its place.
    if (isThere) await unlink(file.path);
    else await rename(file.path, target);
    return key;
  }

  async function putAll(files: readonly NewFile[]): Promise<string[]> {
    const keys: string[] = [];
    for (const file of files) keys.push(await moveIn(file));
    // Also for a file that was there: whoever put it may not have come so far.
    await fsyncFolders([...new Set(keys.map((key) => dirname(pathOf(key))))]);
    return keys;
  }

  async function putBlobs(blobs: readonly { path: string; hash: string }[], suffix: string): Promise<void> {
    const folders = new Set<string>([paths.blobs]);
    await forEachLimited(blobs, async ({ path, hash }) => {
      const target = pathOf(blobKey(hash, suffix));
      await mkdir(dirname(target), PRIVATE);
      await rename(path, target);
      folders.add(dirname(target)).add(dirname(dirname(target)));
    });
    if (blobs.length > 0) await fsyncFolders([...folders]);
  }

  async function keysOf(traceId: string): Promise<string[]> {
    const folder = paths.trace(traceId);
    const names = existsSync(folder) ? await readdir(folder) : [];
    return names.map((name) => traceKey(traceId, name)).filter(isKey);
  }

  /** With the last lease of any of its files the whole folder goes. */
  async function removeTrace(traceId: string): Promise<void> {
    const leased = (await keysOf(traceId)).find(leases.has);
    if (leased !== undefined && leases.removeLater(leased, () => removeTrace(traceId))) return;
    await rm(paths.trace(traceId), { recursive: true, force: true });
  }

  return {
    address,
    put: async (file) => (await putAll([file]))[0]!,
    putAll,
    putBlobs,
    async putTrace(folder, traceId) {
      await rename(folder, paths.trace(traceId));
      await fsyncFolder(paths.traces);
    },
    async coldDraft(traceId) {
      const path = `${pathOf(coldKey(traceId, null))}.part`;
      await mkdir(coldDir, PRIVATE);
      return {
        path,
        async finish(sha256) {
          const key = coldKey(traceId, sha256);
          leases.want(key);
          await rename(path, pathOf(key));
          await fsyncFolder(coldDir);
          return key;
        },
        discard: () => rm(path, { force: true }),
      };
    },
    async coldKeysOf(traceId) {
      const names = existsSync(coldDir) ? await readdir(coldDir) : [];
      return names.filter((name) => traceOfColdKey(name) === traceId);
    },
    async putRecord(key, bytes) {
      const path = pathOf(key);
      const draft = `${path}.draft`;
      await rm(draft, { force: true });
      await writeDurably(draft, [bytes]);
      await rename(draft, path);
      await fsyncFolder(dirname(path));
    },
    read: (location) => readContent(at(location)),
    stream: (location, range) => contentStream(at(location), range),
    open: (location, range) => openContent(at(location), range),
    asBlob(location, { start, end }) {
      if (location.method !== 0) return null;
      return Bun.file(pathOf(location.key)).slice(location.offset + start, location.offset + end);
    },
    async local(key) {
      const path = pathOf(key);
      // Synchronous: a look into the system's memory, before every read of events.
      statSync(path);
      return leases.take(key, path);
    },
    size,
    async remove(key) {
      const now = () => rm(pathOf(key), { force: true });
      if (!leases.removeLater(key, now)) await now();
    },
    keysOf,
    removeTrace,
    whereabouts: pathOf,
    unrooted: (message) => message.replaceAll(`${root}/`, ""),
  };
}

async function sizeAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
