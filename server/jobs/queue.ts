import type { Db } from "../../store/records/db.ts";
import { insertJob } from "../../store/records/jobs.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { NewJob } from "./types.ts";

/** Adding work. Running it is `runner.ts`. */
export interface JobQueue {
  /**
   * Inserts the job in a transaction, so that it exists if and only if the change it belongs to does. The server does so by
   * `commit` alone, which also wakes the runner.
   * @returns its id; null when an open job of its kind and dedupe key is there, or one of its period
   */
  add(within: Db, job: NewJob): Promise<string | null>;
  /** Tells the runner to look now; it also looks by itself when `visible_at` comes. */
  wake(): void;
  /** Who is told by `wake`; the latest one only. */
  onWake(listener: () => void): void;
}

const MAX_ATTEMPTS = 3;

export function createJobQueue(deps: { clock: Pick<Clock, "now">; ids: Pick<Ids, "uuid"> }): JobQueue {
  let listener = () => {};
  return {
    async add(within, job) {
      const now = deps.clock.now();
      const id = deps.ids.uuid();
      const isNew = await insertJob(within, {
        id,
        kind: job.kind,
        dedupe_key: job.dedupeKey ?? null,
        payload: JSON.stringify(job.payload),
        state: "queued",
        max_attempts: job.maxAttempts ?? MAX_ATTEMPTS,
        visible_at: job.runAt ?? now,
        lease_token: null,
        last_error: null,
        created_at: now,
        finished_at: null,
        period_at: job.periodAt ?? null,
        lane: job.lane ?? null,
      });
      return isNew ? id : null;
    },
    wake: () => listener(),
    onWake: (next) => {
      listener = next;
    },
  };
}
