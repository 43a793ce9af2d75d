import { join } from "node:path";
import { BlobDamagedError } from "../../../store/files/files.ts";
import { blobLocation } from "../../../store/files/locations.ts";
import { writeDurably } from "../../../store/files/write.ts";
import {
  type BlobLocation,
  findBlobLocation,
  LOOSE,
  registerLooseBlobs,
} from "../../../store/records/blobs.ts";
import type { Trx } from "../../../store/records/db.ts";
import { neededByOthers } from "../../../store/records/trace-blobs.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";

/**
 * Runs a transaction that gives up the archives of a trace. Blobs in them that other traces name and that lie nowhere
 * else (and those of `also`) are made loose files first. One that is damaged cannot be, and is lost with the archive.
 */
export async function whileOthersKeepTheirs<Result>(
  deps: Deps,
  traceId: string,
  also: readonly string[],
  work: (trx: Trx, after: After) => Promise<Result>,
): Promise<Result> {
  const { records, blobs } = deps.store;
  const rescued: { hash: string; size: number }[] = [];
  const tried = new Set<string>();
  const letGo: (() => void)[] = [];
  try {
    for (;;) {
      const wanted = [...also, ...(await neededByOthers(records, traceId))].filter(
        (hash) => !tried.has(hash),
      );
      for (const hash of wanted) tried.add(hash);
      letGo.push(blobs.hold(wanted));
      rescued.push(...(await makeLoose(deps, wanted)));
      const done = await commit(deps, async (trx, after) => {
        await registerLooseBlobs(trx, rescued, deps.clock.now());
        // An upload may have named another one in the meantime.
        if ((await neededByOthers(trx, traceId)).some((hash) => !tried.has(hash))) return null;
        return { result: await work(trx, after) };
      });
      if (done) return done.result;
    }
  } finally {
    for (const release of letGo) release();
  }
}

/** Writes blobs that lie inside archives as loose files. @returns those whose bytes were there */
async function makeLoose(deps: Deps, hashes: readonly string[]): Promise<{ hash: string; size: number }[]> {
  if (hashes.length === 0) return [];
  return deps.traceState.workFolder.within(async (folder) => {
    const made: { hash: string; size: number }[] = [];
    const staged: { path: string; hash: string }[] = [];
    for (const hash of hashes) {
      const place = await findBlobLocation(deps.store.records, hash);
      if (!place) continue;
      if (place.container !== LOOSE) {
        const path = join(folder, hash);
        if (!(await writeBlob(deps, hash, place, path))) continue;
        staged.push({ path, hash });
      }
      made.push({ hash, size: place.size });
    }
    await deps.store.blobs.adoptAll(staged);
    return made;
  });
}

/** @returns false when the bytes are not those of the hash */
async function writeBlob(deps: Deps, hash: string, place: BlobLocation, path: string): Promise<boolean> {
  try {
    const stream = deps.store.files.stream(blobLocation(hash, place));
    if ((await writeDurably(path, stream)).sha256 === hash) return true;
    deps.log.error("a damaged blob is lost with its archive", { hash, container: place.container });
  } catch (error) {
    if (!(error instanceof BlobDamagedError)) throw error;
    deps.log.error("a damaged blob is lost with its archive", { hash, error });
  }
  return false;
}
