import type { Selectable } from "kysely";
import type { Records } from "../db.ts";
import type { Database } from "../schema.ts";

/**
 * What the records ask of a database beyond the SQL that SQLite and PostgreSQL share. One folder beside this file is one
 * engine; a file of a noun says in plain Kysely what both can say, and asks `engineOf(db)` for the rest.
 */
export interface Engine {
  name: "sqlite" | "postgres";
  hints: ListHints;
  claim: JobClaim;
}

/** How a list is kept on the index that was made for it. */
export interface ListHints {
  /** A column in a condition for which no index is to be chosen. */
  unindexed(column: string): string;
}

/** How one of several workers takes a job. */
export interface JobClaim {
  /** Takes the longest due open job of these kinds, leased until `leaseUntil` under `token`; null when none is due. */
  take(
    records: Records,
    claim: { kinds: string[]; now: number; leaseUntil: number; token: string },
  ): Promise<Selectable<Database["jobs"]> | null>;
}
