import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { CodeHostError } from "../code-host/types.ts";
import { findMissed } from "./find-missed.ts";
import { FIND_MISSED } from "./kinds.ts";

const LOOK_EVERY_MS = 30_000;
/** While nothing happens here: what was lost between the host and us shows within so long. */
const AT_LEAST_EVERY_MS = 10 * 60_000;
/** A wall clock that is so far ahead of the time that passed: the machine slept. */
const SLEPT_MS = 60_000;

/** The job that looks for what was missed. */
export function missedHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: FIND_MISSED,
      atMost: 1,
      async handle(_payload, context) {
        try {
          const found = await keepingLease(deps, context, () => findMissed(deps));
          if (found > 0) deps.log.info("The code host told things while nobody was here", { count: found });
        } catch (error) {
          // The next look asks for the same time again.
          if (!(error instanceof CodeHostError)) throw error;
          deps.log.warn("The code host could not be asked what was missed", { error: error.message });
        }
      },
    },
  ];
}

/** Adds that job at start, when the machine wakes, and every ten minutes. */
export function missedTask(deps: Deps): PeriodicTask {
  let last: { wall: number; monotonic: number } | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    name: "missed deliveries",
    everyMs: LOOK_EVERY_MS,
    of: "server",
    async run() {
      if (deps.gateState.codeHost === null || deps.config.settings.code_host.app_id === null) return;
      const seen = { wall: deps.clock.now(), monotonic: deps.clock.monotonic() };
      const slept = last === null ? 0 : seen.wall - last.wall - (seen.monotonic - last.monotonic);
      const isDue = slept > SLEPT_MS || seen.monotonic - askedAt >= AT_LEAST_EVERY_MS;
      last = seen;
      if (!isDue) return;
      await commit(deps, (_, after) => after.add({ kind: FIND_MISSED, payload: {}, dedupeKey: "code host" }));
      askedAt = seen.monotonic;
    },
  };
}
