import { removeUnregistered } from "../../../store/loose-blobs.ts";
import { forgetLoose, forgetOrphans, namedAmong, orphansSince } from "../../../store/records/trace-blobs.ts";
import type { Deps } from "../../deps.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";

const DAY_MS = 24 * 60 * 60_000;
const AT_ONCE = 200;

const graceBegan = ({ clock, config }: Pick<Deps, "clock" | "config">) =>
  clock.now() - config.settings.retention.blob_grace_days * DAY_MS;

/** Whether there is something for `collectBlobs` to look at. */
export async function hasOrphans(deps: Pick<Deps, "store" | "clock" | "config">): Promise<boolean> {
  return (await orphansSince(deps.store.records, graceBegan(deps), 1)).length > 0;
}

/**
 * Removes loose blobs that no trace has named for `blob_grace_days`. The records forget them first, and the files go when
 * that is in; until they have, they stay on the collector's list. Those that an upload in flight names are held and stay.
 * @returns how many were removed
 */
export async function collectBlobs(
  deps: CommitDeps & Pick<Deps, "store" | "clock" | "config">,
): Promise<number> {
  const { records } = deps.store;
  const before = graceBegan(deps);
  let collected = 0;
  for (;;) {
    const { orphans, unnamed } = await commit(deps, async (trx) => {
      const orphans = await orphansSince(trx, before, AT_ONCE);
      const named = await namedAmong(trx, orphans);
      const unnamed = orphans.filter((hash) => !named.has(hash));
      await forgetLoose(trx, unnamed);
      await forgetOrphans(trx, [...named]);
      return { orphans, unnamed };
    });
    const gone = unnamed.length > 0 ? await removeUnregistered(deps.store, unnamed) : [];
    if (gone.length > 0) await forgetOrphans(records, gone);
    collected += gone.length;
    // Held ones are left for the next time.
    if (orphans.length < AT_ONCE || gone.length < unnamed.length) return collected;
  }
}
