import { removeLeaving } from "../../../store/loose-blobs.ts";
import { forgetLoose } from "../../../store/records/blobs.ts";
import { leavingBlobs, namedAmong, orphansSince, takeOrphans } from "../../../store/records/trace-blobs.ts";
import type { Deps } from "../../deps.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";

const DAY_MS = 24 * 60 * 60_000;
const AT_ONCE = 200;

const graceBegan = ({ clock, config }: Pick<Deps, "clock" | "config">) =>
  clock.now() - config.settings.retention.blob_grace_days * DAY_MS;

/** Whether there is something for `collectBlobs` to look at. */
export async function hasOrphans(deps: Pick<Deps, "store" | "clock" | "config">): Promise<boolean> {
  const { records } = deps.store;
  const found = await Promise.all([orphansSince(records, graceBegan(deps), 1), leavingBlobs(records, 1)]);
  return found.flat().length > 0;
}

/**
 * Removes loose blobs that no trace has named for `blob_grace_days`. The records forget them first, and the files go when
 * that is in; until they have, the records keep their names. An upload in flight with the same bytes has a file of its own.
 * @returns how many were removed
 */
export async function collectBlobs(
  deps: CommitDeps & Pick<Deps, "store" | "clock" | "config">,
): Promise<number> {
  const before = graceBegan(deps);
  let collected = 0;
  for (;;) {
    const count = await commit(deps, async (trx) => {
      const orphans = await takeOrphans(trx, await orphansSince(trx, before, AT_ONCE));
      const named = await namedAmong(trx, orphans);
      await forgetLoose(
        trx,
        orphans.filter((hash) => !named.has(hash)),
      );
      return orphans.length;
    });
    collected += await removeLeaving(deps.store);
    if (count < AT_ONCE) return collected;
  }
}
