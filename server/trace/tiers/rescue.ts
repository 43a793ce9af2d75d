import { join } from "node:path";
import { BlobDamagedError } from "../../../store/files/files.ts";
import { blobLocation } from "../../../store/files/locations.ts";
import { writeDurably } from "../../../store/files/write.ts";
import { bringInBlobs, dropUnnamed, type StagedBlob } from "../../../store/loose-blobs.ts";
import {
  type BlobLocation,
  findBlobLocation,
  keepLooseBlobs,
  LOOSE,
  type LooseBlob,
  registerLooseBlobs,
} from "../../../store/records/blobs.ts";
import type { Trx } from "../../../store/records/db.ts";
import { neededByOthers } from "../../../store/records/trace-blobs.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";

/**
 * Runs a transaction that gives up the archives of traces. Blobs in them that other traces name and that lie nowhere
 * else (and those of `also`) are made loose files first. One that is damaged cannot be, and is lost with the archive.
 */
export async function whileOthersKeepTheirs<Result>(
  deps: Deps,
  traceIds: readonly string[],
  also: readonly string[],
  work: (trx: Trx, after: After) => Promise<Result>,
): Promise<Result> {
  const { records } = deps.store;
  const rescued: LooseBlob[] = [];
  const loose = new Set<string>();
  const tried = new Set<string>();
  try {
    for (;;) {
      const wanted = [...also, ...(await neededByOthers(records, traceIds))].filter(
        (hash) => !tried.has(hash),
      );
      for (const hash of wanted) tried.add(hash);
      const made = await makeLoose(deps, wanted);
      rescued.push(...made.rescued);
      for (const hash of made.loose) loose.add(hash);
      const done = await commit(deps, async (trx, after) => {
        const collected = await keepLooseBlobs(trx, [...loose]);
        for (const hash of collected) {
          loose.delete(hash);
          tried.delete(hash);
        }
        if (collected.length > 0) return null;
        await registerLooseBlobs(trx, rescued, deps.clock.now());
        // An upload may have named another one in the meantime.
        if ((await neededByOthers(trx, traceIds)).some((hash) => !tried.has(hash))) return null;
        return { result: await work(trx, after) };
      });
      if (done) return done.result;
    }
  } finally {
    // What stays behind here is found as a stray file.
    await dropUnnamed(deps.store, rescued).catch(() => {});
  }
}

/** Writes blobs that lie inside archives as loose files, those whose bytes are there. @returns also those that are loose already */
async function makeLoose(
  deps: Deps,
  hashes: readonly string[],
): Promise<{ rescued: LooseBlob[]; loose: string[] }> {
  if (hashes.length === 0) return { rescued: [], loose: [] };
  return deps.traceState.workFolder.within(async (folder) => {
    const loose: string[] = [];
    const staged: StagedBlob[] = [];
    for (const hash of hashes) {
      const place = await findBlobLocation(deps.store.records, hash);
      if (!place) continue;
      const path = join(folder, hash);
      if (place.container === LOOSE) loose.push(hash);
      else if (await writeBlob(deps, hash, place, path)) staged.push({ path, hash, size: place.size });
    }
    return { rescued: await bringInBlobs(deps.store, staged, deps.ids.secret(8)), loose };
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
