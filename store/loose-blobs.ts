import { unregisteredLooseBlobs } from "./records/blobs.ts";
import type { Store } from "./store.ts";

/**
 * Removes the loose files of hashes that the records do not have as loose. Call it when the transaction that made them
 * unregistered is in: a commit that fails must not have cost a file. It looks in a transaction, so that no upload registers
 * one between the look and the removal; those that are about to are held, and stay.
 * @returns the hashes whose files are gone
 */
export async function removeUnregistered(
  store: Pick<Store, "records" | "blobs">,
  hashes: readonly string[],
): Promise<string[]> {
  const { records, blobs } = store;
  return records.transaction().execute(async (trx) => {
    const gone: string[] = [];
    for (const hash of await unregisteredLooseBlobs(trx, hashes))
      if (await blobs.remove(hash)) gone.push(hash);
    return gone;
  });
}
