import { type Selectable, sql } from "kysely";
import type { Db, Trx } from "./db.ts";
import { insertLimited } from "./limited.ts";
import type { Database } from "./schema.ts";

/** Which commit runs at an address. */
export type DeploymentRow = Selectable<Database["deployments"]>;

/** Says which commit runs at an address from now on; false when the org has `most` addresses already, and not this one. */
export async function putDeployment(trx: Trx, row: DeploymentRow, most: number): Promise<boolean> {
  const { commit_sha, deployed_at } = row;
  const { numUpdatedRows } = await trx
    .updateTable("deployments")
    .set({ commit_sha, deployed_at })
    .where("org_id", "=", row.org_id)
    .where("origin", "=", row.origin)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return true;
  return insertLimited(trx, "deployments", row, { most, onConflict: sql`on conflict do nothing` });
}

/** What runs at the addresses of orgs, by address. */
export async function deploymentsOf(db: Db, orgIds: readonly string[]): Promise<DeploymentRow[]> {
  if (orgIds.length === 0) return [];
  return db
    .selectFrom("deployments")
    .selectAll()
    .where("org_id", "in", orgIds)
    .orderBy("org_id")
    .orderBy("origin")
    .execute();
}
