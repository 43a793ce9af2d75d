import type { Db } from "./db.ts";

/** What runs that passed saw of the elements of a scenario: JSON by element, as the scenario names it. */
export async function fingerprintsOf(db: Db, scenarioId: string): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom("fingerprints")
    .select(["element", "fingerprint"])
    .where("scenario_id", "=", scenarioId)
    .execute();
  return Object.fromEntries(rows.map(({ element, fingerprint }) => [element, fingerprint]));
}

/** Keeps what a run saw, in the place of what runs before it saw of the same elements. */
export async function keepFingerprints(
  db: Db,
  scenarioId: string,
  fingerprints: Record<string, object>,
  now: number,
): Promise<void> {
  const rows = Object.entries(fingerprints).map(([element, fingerprint]) => ({
    scenario_id: scenarioId,
    element,
    fingerprint: JSON.stringify(fingerprint),
    seen_at: now,
  }));
  if (rows.length === 0) return;
  await db
    .insertInto("fingerprints")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["scenario_id", "element"]).doUpdateSet((eb) => ({
        fingerprint: eb.ref("excluded.fingerprint"),
        seen_at: eb.ref("excluded.seen_at"),
      })),
    )
    .execute();
}
