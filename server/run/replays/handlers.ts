import { listRunningReplays } from "../../../store/records/replays.ts";
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

/** Replays that were under way when the last server of this folder ended. Call it before any job is taken. */
export async function failOrphanedReplays(deps: Deps): Promise<void> {
  for (const replay of await listRunningReplays(deps.store.records)) await failOrphanedReplay(deps, replay);
}
