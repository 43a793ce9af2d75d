import { tracesToMove, unpinnedOldest } from "../../../store/records/tiers.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { retention } from "../retention.ts";
import { collectBlobs, hasOrphans } from "./collect.ts";
import { MOVE_DOWN } from "./kinds.ts";

const LOOK_EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const LEAST_EVERY_MS = 1_000;
const AT_ONCE = 1_000;

/** What ages: traces that move to the next tier, blobs that nobody names any more. */
export function tierTasks(deps: Deps): PeriodicTask[] {
  const { hotMs, warmMs } = retention(deps.config);
  const { blob_grace_days } = deps.config.settings.retention;
  const every = (...ages: number[]) =>
    Math.max(LEAST_EVERY_MS, Math.min(LOOK_EVERY_MS, ...ages.map((age) => Math.floor(age))));
  return [
    {
      name: "tiers",
      everyMs: every(hotMs, warmMs),
      of: "store",
      isDue: async () => (await dueMoves(deps)).length > 0,
      run: () => queueMoves(deps),
    },
    {
      name: "blob collector",
      everyMs: every(blob_grace_days * DAY_MS),
      of: "store",
      isDue: () => hasOrphans(deps),
      run: async () => {
        const collected = await collectBlobs(deps);
        if (collected > 0) deps.log.info("blobs that nobody names were removed", { count: collected });
      },
    },
  ];
}

/** Adds a job for every trace that is due to move, and for the oldest ones while the store is over `max_bytes`. */
export async function queueMoves(deps: Deps): Promise<void> {
  const due = await dueMoves(deps);
  if (due.length === 0) return;
  await commit(deps, async (_, after) => {
    for (const { id, to } of due)
      await after.add({ kind: MOVE_DOWN, payload: { trace_id: id, to }, dedupeKey: id });
  });
}

type Move = { id: string; to: "warm" | "cold" };

async function dueMoves(deps: Deps): Promise<Move[]> {
  const { unmovable } = deps.traceState;
  const now = deps.clock.now();
  for (const [id, until] of unmovable) if (until <= now) unmovable.delete(id);
  const { hotMs, warmMs } = retention(deps.config);
  const aged = async (from: "hot" | "warm", to: Move["to"], before: number): Promise<Move[]> => {
    const ids = await tracesToMove(deps.store.records, from, before, lookedThrough(unmovable));
    const movable = ids.filter((id) => !unmovable.has(id));
    return movable.slice(0, AT_ONCE).map((id) => ({ id, to }));
  };
  return [
    ...(await aged("hot", "warm", now - hotMs)),
    ...(await aged("warm", "cold", now - warmMs)),
    ...(await overLimit(deps)),
  ];
}

/** Those that cannot be moved may be the oldest of all: the others come after them. */
const lookedThrough = (unmovable: ReadonlyMap<string, number>): number => AT_ONCE + unmovable.size;

/** The oldest unpinned traces, until what stays online is within the limit. A hot one takes both steps, one per look. */
async function overLimit(deps: Deps): Promise<Move[]> {
  const limit = deps.config.settings.retention.max_bytes;
  if (limit === null) return [];
  const { unmovable } = deps.traceState;
  const { bytes, oldest } = await unpinnedOldest(deps.store.records, lookedThrough(unmovable));
  const moves: Move[] = [];
  let left = bytes;
  for (const { id, tier, size } of oldest) {
    if (left <= limit || moves.length === AT_ONCE) break;
    if (unmovable.has(id)) continue;
    moves.push({ id, to: tier === "hot" ? "warm" : "cold" });
    left -= size;
  }
  return moves;
}
