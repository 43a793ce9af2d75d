import { replaysUnderWay } from "../../../store/records/replays.ts";
import type { Deps } from "../../deps.ts";
import type { JobHandler, JobHandlers } from "../../jobs/types.ts";
import { REPLAY_ENDED } from "../../trace/kinds.ts";
import { executeReplay, failOrphanedReplay } from "./execute.ts";
import { REPLAY } from "./kinds.ts";

/**
 * Jobs that carry replays out, in the processes that runs are carried out in.
 * @param followReplayEnd what follows the end of a replay; payload `{ replay_id }`. Who follows lies on higher floors
 */
export function replayHandlers(deps: Deps, followReplayEnd: readonly JobHandler[]): JobHandlers {
  return [
    {
      kind: REPLAY,
      atMost: deps.config.settings.browser.slots,
      handle: ({ replay_id }, context) =>
        executeReplay(deps, deps.runState.replays, String(replay_id), context),
    },
    {
      kind: REPLAY_ENDED,
      async handle(payload, context) {
        for (const follow of followReplayEnd) await follow(payload, context);
      },
    },
  ];
}

/** Replays that this server had under way when it last ended. Call it before any job is taken. Those of others go on, as runs do. */
export async function failOrphanedReplays(deps: Deps): Promise<void> {
  const lost = await replaysUnderWay(deps.store.records, deps.serverId);
  for (const replay of lost) await failOrphanedReplay(deps, replay);
}
