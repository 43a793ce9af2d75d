import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type ArtifactRow = Selectable<Database["artifacts"]>;

/** Every file of a trace. */
export async function artifactsOf(db: Db, traceId: string): Promise<ArtifactRow[]> {
  return db.selectFrom("artifacts").selectAll().where("trace_id", "=", traceId).orderBy("kind").execute();
}

export async function findArtifact(db: Db, traceId: string, kind: string): Promise<ArtifactRow | null> {
  const row = await db
    .selectFrom("artifacts")
    .selectAll()
    .where("trace_id", "=", traceId)
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row ?? null;
}

/** Adds the artifact or puts it in the place of the one of its kind. */
export async function putArtifact(db: Db, artifact: Insertable<Database["artifacts"]>): Promise<void> {
  const { trace_id, kind, ...rest } = artifact;
  const unpacked = { pack_offset: null, pack_stored_size: null, pack_method: null };
  await db
    .insertInto("artifacts")
    .values(artifact)
    .onConflict((conflict) => conflict.columns(["trace_id", "kind"]).doUpdateSet({ ...unpacked, ...rest }))
    .execute();
}

/** Forgets all artifacts of a trace but those of some kinds. */
export async function removeArtifacts(db: Db, traceId: string, butKinds: readonly string[]): Promise<void> {
  await db
    .deleteFrom("artifacts")
    .where("trace_id", "=", traceId)
    .where("kind", "not in", [...butKinds])
    .execute();
}

/** Forgets the artifact of a kind. */
export async function removeArtifact(db: Db, traceId: string, kind: string): Promise<void> {
  await db.deleteFrom("artifacts").where("trace_id", "=", traceId).where("kind", "=", kind).execute();
}

/** Every file of every trace. */
export async function allArtifacts(db: Db): Promise<ArtifactRow[]> {
  return db.selectFrom("artifacts").selectAll().execute();
}

/** Bytes of all files of traces. */
export async function bytesOfArtifacts(db: Db): Promise<number> {
  const row = await db
    .selectFrom("artifacts")
    .select((select) => select.fn.sum<number | null>("size").as("bytes"))
    .executeTakeFirstOrThrow();
  return row.bytes ?? 0;
}
