import type { Db } from "./db.ts";

/** A HAR that clones of a scenario answer from, as its frontmatter names it. */
export interface RecordingRow {
  name: string;
  /** SHA-256 of the text, hex. */
  hash: string;
  /** The text, zstd-compressed. */
  har: Uint8Array;
}

export async function recordingsOf(db: Db, scenarioId: string): Promise<RecordingRow[]> {
  return db
    .selectFrom("scenario_recordings")
    .select(["name", "hash", "har"])
    .where("scenario_id", "=", scenarioId)
    .orderBy("name")
    .execute();
}

/** Puts these in place of those that there were; false when they are the same. */
export async function setRecordings(
  db: Db,
  scenarioId: string,
  recordings: readonly RecordingRow[],
): Promise<boolean> {
  const known = await db
    .selectFrom("scenario_recordings")
    .select(["name", "hash"])
    .where("scenario_id", "=", scenarioId)
    .execute();
  const names = (rows: readonly { name: string; hash: string }[]) =>
    rows
      .map(({ name, hash }) => `${hash} ${name}`)
      .sort()
      .join("\n");
  if (names(known) === names(recordings)) return false;
  await db.deleteFrom("scenario_recordings").where("scenario_id", "=", scenarioId).execute();
  if (recordings.length > 0)
    await db
      .insertInto("scenario_recordings")
      .values(recordings.map((one) => ({ scenario_id: scenarioId, ...one })))
      // Somebody else may have put theirs there in between: these come later.
      .onConflict((conflict) =>
        conflict.columns(["scenario_id", "name"]).doUpdateSet((set) => ({
          hash: set.ref("excluded.hash"),
          har: set.ref("excluded.har"),
        })),
      )
      .execute();
  return true;
}
