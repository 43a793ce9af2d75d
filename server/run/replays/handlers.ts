import { openPayloads } from "../../../store/records/jobs.ts";
import {
  findReplay,
  type ReplayRow,
  replaysUnderWay,
  replaysWithoutVerdict,
} from "../../../store/records/replays.ts";
import type { Deps } from "../../deps.ts";
import { forEachApart } from "../../jobs/each-apart.ts";
import type { JobHandler, JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { REPLAY_ENDED } from "../../trace/kinds.ts";
import { executeReplay } from "./execute.ts";
import { REPLAY } from "./kinds.ts";
import { failOrphanedReplay, failReplay } from "./settle.ts";

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
      onDead: ({ replay_id }, error) =>
        failReplay(
          deps,
          { id: String(replay_id) },
          { reason: "server_failed", message: `The server failed: ${error}` },
        ),
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
  await forEachApart(deps, lost, "A replay that a crash left could not be ended", ({ id }) =>
    failOrphanedReplay(deps, { id }),
  );
}

/** Replays that no job carries out any more, and of which nobody has said how they ended. */
export function sweepLostReplays(deps: Deps): PeriodicTask {
  const { records } = deps.store;
  return {
    name: "replays.lost",
    everyMs: 60_000,
    of: "store",
    isDue: async () => (await lostReplays(deps)).length > 0,
    run: async () =>
      forEachApart(deps, await lostReplays(deps), "A lost replay could not be ended", async ({ id }) => {
        if ((await findReplay(records, id))?.verdict !== null) return;
        await failReplay(
          deps,
          { id },
          { reason: "runner_lost", message: "Nobody carries the replay out any more." },
        );
      }),
  };
}

async function lostReplays(deps: Deps): Promise<ReplayRow[]> {
  const { records } = deps.store;
  const open = await replaysWithoutVerdict(records);
  if (open.length === 0) return [];
  // After the replays: one that was queued meanwhile is not among them.
  const carried = new Set((await openPayloads(records, REPLAY)).map(({ replay_id }) => String(replay_id)));
  return open.filter(({ id }) => !carried.has(id) && !deps.runState.replays.controls.has(id));
}
