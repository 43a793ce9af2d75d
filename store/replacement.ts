import { existsSync, readdirSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fsyncFile, fsyncFolder } from "./blobs/sync.ts";

/** What a store consists of, the records last: a folder has a store once they are there. */
export const PARTS = [
  "settings.json",
  "credentials.json",
  "signing.key",
  "audit",
  "blobs",
  "traces",
  "cold",
  "test-runs",
  "tracedeck.db-wal",
  "tracedeck.db-shm",
  "tracedeck.db",
];

/** Where a restore unpacks, and where it sets aside what it replaces. */
const STAGING = "restoring-";
const REPLACED = "replaced-";

export const stagingName = (id: string) => `${STAGING}${id}`;

/** What a file system makes of its own accord in a volume. */
const OF_THE_VOLUME = "lost+found";

/** A part could not be replaced, and what was there could not be put back whole. */
export class ReplacementError extends Error {
  override name = "ReplacementError";
}

type Undo = (() => Promise<unknown>)[];

/**
 * Puts the parts of `staging` in the place of those in `root`. When one cannot be placed, all that was there is put back.
 * A part that is a mount point keeps its place: what it holds is replaced.
 * @param present the parts that are there
 * @throws what went wrong, after everything was put back; ReplacementError when that went wrong too
 */
export async function replaceParts(
  root: string,
  staging: string,
  present: readonly string[],
  id: string,
): Promise<void> {
  const replaced = join(root, `${REPLACED}${id}`);
  await mkdir(replaced, { mode: 0o700 });
  const undo: Undo = [];
  const mounts = new Set<string>();
  try {
    // The old records leave first and the new ones come last: no moment has records without their files.
    for (const part of [...present].reverse()) await setAside({ root, part, id, undo, mounts });
    for (const part of PARTS)
      if (existsSync(join(staging, part))) await putIn({ root, staging, part, undo, mounts });
    await fsyncFolder(root);
  } catch (error) {
    await putBack(undo, replaced, error);
    await rm(replaced, { recursive: true, force: true });
    throw error;
  }
  for (const part of mounts) await rm(join(root, part, `${REPLACED}${id}`), { recursive: true, force: true });
  await rm(replaced, { recursive: true, force: true });
}

async function putBack(undo: Undo, replaced: string, error: unknown): Promise<void> {
  try {
    for (const back of undo.reverse()) await back();
  } catch (second) {
    throw new ReplacementError(
      `The restore failed (${messageOf(error)}), and what was there could not be put back whole (${messageOf(second)}): ` +
        `it lies in ${replaced}. \`tracedeck doctor --repair\` puts it back.`,
    );
  }
}

interface Placing {
  root: string;
  part: string;
  undo: Undo;
  /** Parts that cannot be renamed. */
  mounts: Set<string>;
}

async function setAside({ root, part, id, undo, mounts }: Placing & { id: string }): Promise<void> {
  const path = join(root, part);
  // Who closes the records last removes the journal.
  if (!existsSync(path)) return;
  const aside = join(root, `${REPLACED}${id}`, part);
  if (await didRename(path, aside)) {
    undo.push(() => rename(aside, path));
    return;
  }
  mounts.add(part);
  if (!(await stat(path)).isDirectory()) {
    await copyWhole(path, aside);
    undo.push(() => copyWhole(aside, path));
    return;
  }
  // Within the mount, as that may be another disk.
  const within = join(path, `${REPLACED}${id}`);
  await mkdir(within, { mode: 0o700 });
  undo.push(() => rmdir(within));
  for (const name of await namesWithin(path)) {
    await rename(join(path, name), join(within, name));
    undo.push(() => rename(join(within, name), join(path, name)));
  }
}

async function putIn({ root, staging, part, undo, mounts }: Placing & { staging: string }): Promise<void> {
  const [from, to] = [join(staging, part), join(root, part)];
  if (!mounts.has(part) && (await didRemove(to)) && (await didRename(from, to))) {
    undo.push(() => rename(to, from));
    return;
  }
  mounts.add(part);
  const isFolder = (await stat(from)).isDirectory();
  if (!isFolder) return copyWhole(from, to);
  for (const name of await readdir(from)) {
    undo.push(() => rm(join(to, name), { recursive: true, force: true }));
    await copyWhole(join(from, name), join(to, name));
  }
}

/** A file, or a folder with all that it holds, on the disk before this returns. */
async function copyWhole(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  if (!(await stat(to)).isDirectory()) return fsyncFile(to);
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await fsyncFolder(path);
    else await fsyncFile(path);
  }
  await fsyncFolder(to);
}

const namesWithin = async (folder: string) =>
  (await readdir(folder)).filter((name) => name !== OF_THE_VOLUME && !name.startsWith(REPLACED));

/** False for a mount point, and for what lies on another disk. */
async function didRename(from: string, to: string): Promise<boolean> {
  return unlessMounted(rename(from, to));
}

async function didRemove(path: string): Promise<boolean> {
  return unlessMounted(rm(path, { recursive: true, force: true }));
}

async function unlessMounted(operation: Promise<unknown>): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EBUSY" || code === "EXDEV") return false;
    throw error;
  }
}

/** What a restore that was killed has left in a data folder. */
export interface BrokenRestore {
  /** Paths of the folders that it made. */
  folders: string[];
  /** Where the former records lie, when the folder has none; null when nothing is missing. */
  records: string | null;
}

/** Null when no restore was left half done. The caller holds the lock, or only wants to tell. */
export function brokenRestore(root: string): BrokenRestore | null {
  if (!existsSync(root)) return null;
  const names = readdirSync(root).filter((name) => name.startsWith(STAGING) || name.startsWith(REPLACED));
  if (names.length === 0) return null;
  const folders = names.sort().map((name) => join(root, name));
  const aside = folders
    .map((folder) => join(folder, "tracedeck.db"))
    .filter((path) => !path.includes(STAGING));
  const isMissing = !existsSync(join(root, "tracedeck.db"));
  return { folders, records: isMissing ? (aside.find((path) => existsSync(path)) ?? null) : null };
}

/**
 * Ends what a killed restore began: where the records are missing, all that it set aside is put back; then its folders go.
 * May be killed too, and done again. The caller holds the lock.
 */
export async function endBrokenRestore(root: string): Promise<void> {
  const broken = brokenRestore(root);
  if (!broken) return;
  const replaced = broken.folders.filter((folder) => folder.startsWith(join(root, REPLACED)));
  // Until the new records are in, nothing of the new store counts.
  if (!existsSync(join(root, "tracedeck.db")))
    for (const folder of replaced)
      for (const part of PARTS) {
        const name = folder.slice(join(root, "/").length);
        await takeBack(root, part, join(folder, part), join(root, part, name));
      }
  for (const folder of broken.folders) await rm(folder, { recursive: true, force: true });
  for (const part of PARTS)
    for (const folder of replaced) await removeWithin(join(root, part), folder.slice(join(root, "/").length));
  await fsyncFolder(root);
}

/** @param aside where a part was renamed to @param within where what a mount point held was put */
async function takeBack(root: string, part: string, aside: string, within: string): Promise<void> {
  const path = join(root, part);
  if (existsSync(within)) {
    const former = new Set(await readdir(within));
    for (const name of await namesWithin(path))
      if (!former.has(name)) await rm(join(path, name), { recursive: true, force: true });
    for (const name of former) {
      await rm(join(path, name), { recursive: true, force: true });
      await rename(join(within, name), join(path, name));
    }
    return;
  }
  if (!existsSync(aside)) return;
  if ((await didRemove(path)) && (await didRename(aside, path))) return;
  await copyWhole(aside, path);
}

async function removeWithin(path: string, name: string): Promise<void> {
  const within = join(path, name);
  if (existsSync(within)) await rm(within, { recursive: true, force: true });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
