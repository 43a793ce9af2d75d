import { auditHashAt, auditHeadOf, newestAuditSeq, orgsWithAuditAfter } from "../records/audit.ts";
import type { Records } from "../records/db.ts";
import type { CheckpointSigner, SignedCheckpoint } from "./checkpoint.ts";
import { appendCheckpoints, latestCheckpoints } from "./file.ts";

/** Writes checkpoints as the chains grow. */
export interface CheckpointKeeper {
  /**
   * Looks how far the chains have grown and writes what is due: after so many entries or minutes, or with `all` wherever there
   * is a new entry. `now` is epoch ms.
   * @returns orgs whose chain no longer holds its last checkpoint
   */
  keep(now: number, options?: { all?: boolean }): Promise<{ broken: string[] }>;
}

const ENTRIES = 100;
const TIME_MS = 3 * 60_000;

/** @param path of the file of checkpoints */
export function createCheckpointKeeper(
  records: Records,
  path: string,
  signer: CheckpointSigner,
): CheckpointKeeper {
  let latest: Map<string, SignedCheckpoint> | null = null;
  /** Up to which entry of all orgs there is nothing left to write. */
  let doneUpTo = 0;

  return {
    async keep(now, { all = false } = {}) {
      latest ??= latestCheckpoints(path, signer);
      const newest = await newestAuditSeq(records);
      const broken: string[] = [];
      if (newest === doneUpTo) return { broken };
      const due: SignedCheckpoint[] = [];
      let isAllDone = true;
      // A chain that was cut is shorter than what was done.
      for (const orgId of await orgsWithAuditAfter(records, Math.min(doneUpTo, newest))) {
        const last = latest.get(orgId);
        const isWhole =
          !last || last.seq === 0 || (await auditHashAt(records, orgId, last.seq)) === last.hash;
        const head = await auditHeadOf(records, orgId, isWhole ? last : undefined);
        if (isWhole && head.seq === last?.seq) continue;
        if (!isWhole) broken.push(orgId);
        const isDue =
          all ||
          !last ||
          !isWhole ||
          head.count - last.count >= ENTRIES ||
          now - Date.parse(last.at) >= TIME_MS;
        if (!isDue) isAllDone = false;
        else
          due.push(
            signer.sign({ event: "checkpoint", org_id: orgId, ...head, at: new Date(now).toISOString() }),
          );
      }
      await appendCheckpoints(path, due);
      for (const one of due) latest.set(one.org_id, one);
      if (isAllDone) doneUpTo = newest;
      return { broken };
    },
  };
}
