import { sql } from "kysely";
import { IS_OPEN, isFree } from "../../open-jobs.ts";
import type { JobClaim } from "../types.ts";
import { listHints } from "./list-hints.ts";

/** The kind without its index: the planner would take that one and sort every open job. */
const KIND = sql.raw<string>(listHints.unindexed("kind"));

/** SQLite has one writer at a time, so that one statement is enough: nobody sees the job between its two halves. */
export const claim: JobClaim = {
  async take(records, { kinds, busyLanes = [], now, leaseUntil, token, server }) {
    const row = await records
      .updateTable("jobs")
      .set({ state: "running", lease_token: token, lease_server: server, visible_at: leaseUntil })
      .where("id", "=", (select) =>
        select
          .selectFrom("jobs")
          .select("id")
          .where(IS_OPEN)
          .where("visible_at", "<=", now)
          .where(KIND, "in", kinds)
          .$if(busyLanes.length > 0, (query) => query.where(isFree(busyLanes)))
          .orderBy("visible_at")
          .orderBy("id")
          .limit(1),
      )
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  },
};
