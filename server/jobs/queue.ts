import type { Transaction } from "kysely";
import type { Database } from "../../store/records/schema.ts";
import type { Records } from "../../store/records/sqlite.ts";
import type { NewJob } from "./types.ts";

/** Adding work. Running it is `runner.ts`. */
export interface JobQueue {
  /** Inserts the job in the caller's transaction, so that it exists if and only if the change it belongs to does. */
  add(within: Records | Transaction<Database>, job: NewJob): Promise<void>;
  /** Tells the runner to look now. Call it after commit; the runner also looks by itself when `visible_at` comes. */
  wake(): void;
}
