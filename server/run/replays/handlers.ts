import { replaysUnderWay } from "../../../store/records/replays.ts";
import type { Deps } from "../../deps.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import { executeReplay, failOrphanedReplay } from "./execute.ts";
import { REPLAY } from "./kinds.ts";

/** Jobs that carry replays out, in the processes that runs are carried out in. */
export function replayHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: REPLAY,
      atMost: deps.config.settings.browser.slots,
      handle: ({ replay_id }, context) =>
        executeReplay(deps, deps.runState.replays, String(replay_id), context),
    },
  ];
}

/** Replays that this server had under way when it last ended. Call it before any job is taken. Those of others go on, as runs do. */
export async function failOrphanedReplays(deps: Deps): Promise<void> {
  const lost = await replaysUnderWay(deps.store.records, deps.serverId);
  for (const replay of lost) await failOrphanedReplay(deps, replay);
}
