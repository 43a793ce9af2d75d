import { forEachLimited } from "./blobs/sync.ts";
import { blobKey } from "./files/keys.ts";
import { type LooseBlob, looseAmong } from "./records/blobs.ts";
import { forgetLeaving, leavingBlobs } from "./records/trace-blobs.ts";
import type { Store } from "./store.ts";

type BlobStore = Pick<Store, "records" | "files">;

/** A finished, fsynced file with the bytes of a hash. It is moved away. */
export interface StagedBlob {
  path: string;
  hash: string;
  size: number;
}

const AT_ONCE = 200;

/**
 * Moves blobs in, each under a key that nobody else has, whether or not the same bytes are there: whatever others remove
 * meanwhile, these stay until `dropUnnamed`. `registerLooseBlobs` makes them count.
 * @param suffix never used before
 */
export async function bringInBlobs(
  { records, files }: BlobStore,
  staged: readonly StagedBlob[],
  suffix: string,
): Promise<LooseBlob[]> {
  await files.putBlobs(staged, suffix);
  const known = await looseAmong(
    records,
    staged.map(({ hash }) => hash),
  );
  const damaged = new Map<string, string>();
  await forEachLimited([...known.values()], async ({ hash, suffix: theirs, size }) => {
    if ((await files.size(blobKey(hash, theirs))) !== size) damaged.set(hash, theirs);
  });
  return staged.map(({ hash, size }) => ({ hash, size, suffix, replaces: damaged.get(hash) }));
}

/** Removes the files of blobs that were brought in and that no row names: others had the same bytes, or nothing came of it. */
export async function dropUnnamed(
  { records, files }: BlobStore,
  blobs: readonly Pick<LooseBlob, "hash" | "suffix">[],
): Promise<void> {
  const known = await looseAmong(
    records,
    blobs.map(({ hash }) => hash),
  );
  const unnamed = blobs.filter(({ hash, suffix }) => known.get(hash)?.suffix !== suffix);
  await forEachLimited(unnamed, ({ hash, suffix }) => files.remove(blobKey(hash, suffix)));
}

/** Brings blobs in for the time of some work that registers them. */
export async function withBlobs<Result>(
  store: BlobStore,
  staged: readonly StagedBlob[],
  suffix: string,
  work: (blobs: LooseBlob[]) => Promise<Result>,
): Promise<Result> {
  const blobs = await bringInBlobs(store, staged, suffix);
  try {
    return await work(blobs);
  } finally {
    // What stays behind here is found as a stray file.
    await dropUnnamed(store, blobs).catch(() => {});
  }
}

/** Removes the files of loose blobs that the records have forgotten. @returns how many */
export async function removeLeaving({ records, files }: BlobStore): Promise<number> {
  let removed = 0;
  for (;;) {
    const leaving = await leavingBlobs(records, AT_ONCE);
    for (const { hash, suffix } of leaving) await files.remove(blobKey(hash, suffix));
    await forgetLeaving(records, leaving);
    removed += leaving.length;
    if (leaving.length < AT_ONCE) return removed;
  }
}
