import { findArtifact } from "../../../store/records/artifacts.ts";
import type { Trx } from "../../../store/records/db.ts";
import {
  coldBytesLeaving,
  type ExpiredTrace,
  type ExpiryPlace,
  expiredTraces,
  stillExpired,
} from "../../../store/records/expired-traces.ts";
import { giveBackRoom } from "../../../store/records/room.ts";
import { forgetContainers, orphanBlobsOf } from "../../../store/records/trace-blobs.ts";
import { removeTrace } from "../../../store/records/traces.ts";
import { withReserve } from "../../../store/reserve.ts";
import { isDiskFull } from "../../../store/storage-faults.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { publishTraceChange } from "../publish.ts";
import { retention } from "../retention.ts";
import { TIDY_REMOVED } from "./kinds.ts";
import { whileOthersKeepTheirs } from "./rescue.ts";
import { type RemovedTrace, tidyRemoved } from "./tidy.ts";

const LOOK_EVERY_MS = 60 * 60_000;
/** Traces of one transaction: others that write come in between. */
const AT_ONCE = 50;

/** Removes what runs by the clock recorded, by its age and by what it takes in the cold folder. */
export function expireTask(deps: Deps): PeriodicTask {
  return {
    name: "traces.expire",
    everyMs: Math.max(1_000, Math.min(LOOK_EVERY_MS, Math.floor(retention(deps.config).runsMs))),
    of: "store",
    isDue: async () => (await dueNow(deps, null, 1)).length > 0 || (await overLimit(deps)) > 0,
    async run() {
      const removed = (await expireByAge(deps)) + (await expireByBytes(deps));
      if (removed > 0) deps.log.info("traces of checks that are old enough were removed", { count: removed });
    },
  };
}

const dueNow = (deps: Deps, after: ExpiryPlace | null, limit: number) => {
  const now = deps.clock.now();
  const before = now - retention(deps.config).runsMs;
  return expiredTraces(deps.store.records, { before, now, after, limit });
};

/** Removes the traces of checks that are older than their runs are kept. @returns how many */
export async function expireByAge(deps: Deps): Promise<number> {
  return removeAll(deps, (after, limit) => dueNow(deps, after, limit));
}

/** While traces of checks take more of the cold folder than `max_bytes`, removes the oldest of them. @returns how many */
async function expireByBytes(deps: Deps): Promise<number> {
  return removeAll(deps, async (after, limit) => {
    let excess = await overLimit(deps);
    if (excess <= 0) return [];
    const now = deps.clock.now();
    const wanted = { before: now, now, after, isCold: true, limit };
    const some: ExpiredTrace[] = [];
    for (const trace of await expiredTraces(deps.store.records, wanted)) {
      if (excess <= 0) break;
      excess -= trace.total_size_bytes;
      some.push(trace);
    }
    return some;
  });
}

/** By how many bytes the cold folder has more of them than it may. */
async function overLimit(deps: Deps): Promise<number> {
  const limit = deps.config.settings.retention.max_bytes;
  return limit === null ? 0 : (await coldBytesLeaving(deps.store.records)) - limit;
}

type Next = (after: ExpiryPlace | null, limit: number) => Promise<ExpiredTrace[]>;

/** On a full disk one trace at a time goes, with the room that is kept for this: its files make room for the next ones. */
async function removeAll(deps: Deps, next: Next): Promise<number> {
  let removed = 0;
  let place: ExpiryPlace | null = null;
  let atOnce = AT_ONCE;
  for (;;) {
    const some = await next(place, atOnce);
    if (some.length === 0) return removed;
    try {
      removed +=
        atOnce === 1 ? await removeOnFullDisk(deps, some[0]!) : (await removeExpired(deps, some)).length;
      place = some.at(-1)!;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (atOnce === 1) {
        // What others need of its files has no room elsewhere: those that need none make some, and the next look takes this one too.
        deps.log.warn("a trace that is old enough stays: the disk is full", { trace_id: some[0]!.id, error });
        place = some[0]!;
      }
      atOnce = 1;
    }
  }
}

async function removeOnFullDisk(deps: Deps, trace: ExpiredTrace): Promise<number> {
  const removed = await withReserve(
    deps.store.reserve,
    () => removeExpired(deps, [trace]),
    () => deps.log.warn("the disk is full: the room kept for removals is given up", { removing: trace.id }),
  );
  // The job that removes them needs room in the records too, which may be gone before its turn comes.
  await tidyRemoved(deps, removed);
  return removed.length;
}

/**
 * Removes traces that are due to go: their records in one transaction, their files by a job that it adds, their blobs by the collector
 * when nobody names them any more. What is needed again by then stays.
 * @returns those that went
 */
async function removeExpired(deps: Deps, traces: readonly ExpiredTrace[]): Promise<RemovedTrace[]> {
  let going = [...traces];
  while (going.length > 0) {
    const ids = going.map(({ id }) => id);
    const { removed, left } = await whileOthersKeepTheirs(deps, ids, [], async (trx, after) => {
      const free = await stillExpired(trx, ids, deps.clock.now());
      const those = going.filter(({ id, aged_from }) => free.get(id) === aged_from);
      // What stays may need the blobs of those that go: they are made safe for fewer, and it is tried again.
      if (those.length < going.length) return { removed: [], left: those };
      return { removed: await removeRows(deps, trx, after, going), left: [] };
    });
    if (removed.length > 0) return removed;
    going = left;
  }
  return [];
}

async function removeRows(
  deps: Deps,
  trx: Trx,
  after: After,
  traces: readonly ExpiredTrace[],
): Promise<RemovedTrace[]> {
  const now = deps.clock.now();
  const removed: RemovedTrace[] = [];
  for (const trace of traces) {
    const { id } = trace;
    const pack = trace.tier === "cold" ? await findArtifact(trx, id, "pack") : null;
    await orphanBlobsOf(trx, id, { now });
    await forgetContainers(trx, id);
    await removeTrace(trx, id);
    removed.push({ id, ...(pack && { cold_pack: pack.path }) });
    publishTraceChange(after, trace);
  }
  await after.add({ kind: TIDY_REMOVED, payload: { traces: removed } });
  return removed;
}

const GIVE_BACK_EVERY_MS = 60 * 60_000;

/** Gives back to the disk what old rows leave in the database. */
export function giveBackTask({ store, log }: Pick<Deps, "store" | "log">): PeriodicTask {
  return {
    name: "records.give_back",
    everyMs: GIVE_BACK_EVERY_MS,
    of: "store",
    async run() {
      const bytes = await giveBackRoom(store.records);
      if (bytes > 0) log.info("the database gave room back to the disk", { bytes });
    },
  };
}
