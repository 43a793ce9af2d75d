import {
  attemptWaitingFor,
  findAttempt,
  pruneAttempts,
  staleAttempts,
} from "../../../store/records/mender.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { JobHandler, JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { tellAnew } from "../flow/tell-anew.ts";
import { mend } from "./attempt.ts";
import { ASK, LOOK, MEND } from "./kinds.ts";
import { end } from "./moves.ts";
import { lookAtRun } from "./work.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Longer than many attempts, one after the other, may wait for a slow model and for replays; after that nobody comes back to it. */
const STALE_MS = 12 * 60 * 60_000;
const AT_ONCE = 100;

/** Follows the end of a run: only notes that it is to be looked at. Payload `{ run_id }`. */
export function followRunForMender(deps: Deps): JobHandler {
  return async ({ run_id }) => {
    await commit(deps, (_, after) =>
      after.add({ kind: LOOK, payload: { run_id }, dedupeKey: String(run_id) }),
    );
  };
}

/** Follows the end of a replay: the attempt that waits for it goes on. Payload `{ replay_id }`. */
export function followReplayForMender(deps: Deps): JobHandler {
  return async ({ replay_id }) => {
    const attempt = await attemptWaitingFor(deps.store.records, String(replay_id));
    if (!attempt) return;
    const payload = { attempt_id: attempt.id };
    await commit(deps, (_, after) =>
      after.add({ kind: MEND, payload, dedupeKey: `${attempt.id} ${replay_id}` }),
    );
  };
}

/** Jobs that mend. */
export function menderHandlers(deps: Deps): JobHandlers {
  // Each reads several traces, and nobody waits for it.
  const step = (kind: string, mayAsk: boolean): JobHandlers[number] => ({
    kind,
    atMost: 1,
    async handle({ attempt_id }, context) {
      await mend(deps, String(attempt_id), { ...context, mayAsk });
      await tellVerified(deps, String(attempt_id));
    },
    async onDead({ attempt_id }, error) {
      const attempt = await findAttempt(deps.store.records, String(attempt_id));
      if (attempt && attempt.stage !== "ended")
        await end(deps, attempt, {
          status: "failed",
          summary: `It could not be looked at: ${error.slice(0, 300)}`,
        });
    },
  });
  return [
    { kind: LOOK, handle: ({ run_id }) => lookAtRun(deps, String(run_id)) },
    step(MEND, false),
    step(ASK, true),
  ];
}

/** The comment of a pull request leads to what was found for it. Killed before, the job that comes again does so. */
async function tellVerified(deps: Deps, attemptId: string): Promise<void> {
  const attempt = await findAttempt(deps.store.records, attemptId);
  if (attempt?.status === "verified")
    await commit(deps, (within, after) => tellAnew(within, after, attempt.run_id));
}

export function menderTasks(deps: Deps): PeriodicTask[] {
  return [
    {
      name: "stale attempts",
      everyMs: 10 * 60_000,
      of: "store",
      async run() {
        const before = deps.clock.now() - STALE_MS;
        for (const attempt of await staleAttempts(deps.store.records, before, AT_ONCE))
          await end(deps, attempt, {
            status: "failed",
            waiting: "[]",
            summary: "Nobody came back to it within twelve hours, so that it was given up.",
          });
      },
    },
    {
      name: "old attempts",
      everyMs: 60 * 60_000,
      of: "store",
      async run() {
        const before = deps.clock.now() - deps.config.settings.retention.runs_days * DAY_MS;
        while ((await pruneAttempts(deps.store.records, before, AT_ONCE)) === AT_ONCE);
      },
    },
  ];
}
