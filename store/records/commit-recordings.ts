import type { Db } from "./db.ts";

/** A HAR that lies in a commit. */
export interface CommitRecording {
  /** SHA-256 of the text, hex. */
  hash: string;
  /** The text, zstd-compressed. */
  har: Uint8Array;
}

/** Keeps HARs that a gate needs, each text once. @param now epoch ms of the use */
export async function keepCommitRecordings(
  db: Db,
  recordings: readonly CommitRecording[],
  now: number,
): Promise<void> {
  for (const { hash, har } of recordings)
    await db
      .insertInto("commit_recordings")
      .values({ hash, har, used_at: now })
      .onConflict((conflict) => conflict.column("hash").doUpdateSet({ used_at: now }))
      .execute();
}

/** Those of these hashes that are there. */
export async function commitRecordings(db: Db, hashes: readonly string[]): Promise<CommitRecording[]> {
  if (hashes.length === 0) return [];
  return db.selectFrom("commit_recordings").select(["hash", "har"]).where("hash", "in", hashes).execute();
}

/** Forgets those that were used last before a time (epoch ms). */
export async function pruneCommitRecordings(db: Db, before: number): Promise<void> {
  await db.deleteFrom("commit_recordings").where("used_at", "<", before).execute();
}
