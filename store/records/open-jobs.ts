import { sql } from "kysely";

/** Spelled out and not bound, so that the planner sees that the partial indexes apply. */
export const IS_OPEN = sql<boolean>`state in ('queued', 'running')`;

/** Whether a job is in none of these lanes. */
export const isFree = (busyLanes: string[]) =>
  sql<boolean>`(lane is null or lane not in (${sql.join(busyLanes)}))`;
