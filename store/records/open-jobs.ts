import { sql } from "kysely";

/** Spelled out and not bound, so that the planner sees that the partial indexes apply. */
export const IS_OPEN = sql<boolean>`state in ('queued', 'running')`;
