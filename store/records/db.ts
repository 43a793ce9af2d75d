import type { Kysely, Transaction } from "kysely";
import type { Database } from "./schema.ts";

/** The records of a data folder, whatever engine keeps them. */
export type Records = Kysely<Database>;

/** What is going on within one transaction. */
export type Trx = Transaction<Database>;

/** Whatever a query may run on: the records at large, or one transaction. */
export type Db = Records | Trx;
