import { forgetLoose, forgetOrphans, namedAmong, orphansSince } from "../../../store/records/trace-blobs.ts";
import type { Deps } from "../../deps.ts";

const DAY_MS = 24 * 60 * 60_000;
const AT_ONCE = 200;

/**
 * Removes loose blobs that no trace has named for `blob_grace_days`. Look and removal are one transaction, so that no
 * upload can begin to name a blob in between; those that an upload in flight names are held and stay.
 * @returns how many were removed
 */
export async function collectBlobs(deps: Pick<Deps, "store" | "clock" | "config">): Promise<number> {
  const { records, blobs } = deps.store;
  const before = deps.clock.now() - deps.config.settings.retention.blob_grace_days * DAY_MS;
  let collected = 0;
  for (;;) {
    const done = await records.transaction().execute(async (trx) => {
      const orphans = await orphansSince(trx, before, AT_ONCE);
      const named = await namedAmong(trx, orphans);
      const gone: string[] = [];
      for (const hash of orphans) if (!named.has(hash) && (await blobs.remove(hash))) gone.push(hash);
      await forgetLoose(trx, gone);
      await forgetOrphans(trx, [...gone, ...named]);
      collected += gone.length;
      return orphans.length < AT_ONCE || gone.length + named.size === 0;
    });
    if (done) return collected;
  }
}
