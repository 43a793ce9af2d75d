import { listRunningReplays } from "../../../store/records/replays.ts";
import type { Deps } from "../../deps.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import { createSemaphore, type Semaphore } from "../../platform/semaphore.ts";
import { RunnerError } from "../errors.ts";
import type { RunControls } from "../runs/execute.ts";
import { runWork } from "../runs/handlers.ts";
import { executeReplay, failOrphanedReplay } from "./execute.ts";
import { REPLAY } from "./kinds.ts";

/** How to end a replay that is under way, and how many of an org are. */
export interface ReplayWork {
  controls: RunControls;
  atOnce: Semaphore;
}

const works = new WeakMap<Deps, ReplayWork>();

/** One for the whole process: the routes end what the jobs began. */
export function replayWork(deps: Deps): ReplayWork {
  const known = works.get(deps);
  if (known) return known;
  const ended = () => new RunnerError("aborted", "The replay was ended before it began.");
  const work = { controls: new Map(), atOnce: createSemaphore(deps.config.limits.replaysAtOnce, ended) };
  works.set(deps, work);
  return work;
}

/** Jobs that carry replays out, in the processes that runs are carried out in. */
export function replayHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: REPLAY,
      atMost: deps.config.settings.browser.slots,
      handle: ({ replay_id }, context) =>
        executeReplay(deps, { pool: runWork(deps).pool, ...replayWork(deps) }, String(replay_id), context),
    },
  ];
}

/** Replays that were under way when the last server of this folder ended. Call it before any job is taken. */
export async function failOrphanedReplays(deps: Deps): Promise<void> {
  for (const replay of await listRunningReplays(deps.store.records)) await failOrphanedReplay(deps, replay);
}
