import { nameOfKey, traceKey } from "../../../store/files/keys.ts";
import { removeLeaving } from "../../../store/loose-blobs.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import { forgetLoose } from "../../../store/records/blobs.ts";
import { locationsWithin, neededByHot } from "../../../store/records/trace-blobs.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { removeUnnamed } from "../files/unnamed.ts";
import { isFinal } from "../model.ts";

const BLOBS_AT_ONCE = 200;

/**
 * Removes the files of a trace that its records no longer name, after it moved between tiers or was removed. It decides
 * by the records alone, so it may run again, or late.
 */
export async function tidyTrace(deps: Deps, traceId: string, coldPack: string | null): Promise<void> {
  const { records, files } = deps.store;
  const trace = await findTrace(records, traceId);
  if (!trace) await removeAll(deps, traceId);
  else if (isFinal(trace.status)) await removeUnnamed(deps, traceId);
  if (trace?.tier === "warm") await dropPackedLoose(deps, traceId);
  if (trace?.tier === "cold") await dropOtherPacks(deps, traceId);
  else if (coldPack !== null) await files.remove(nameOfKey(coldPack));
}

/** A trace that the records have forgotten, and its pack where it was cold. */
export interface RemovedTrace {
  id: string;
  cold_pack?: string;
}

/** Removes the files of traces that were removed. */
export async function tidyRemoved(deps: Deps, traces: readonly RemovedTrace[]): Promise<void> {
  for (const { id, cold_pack } of traces)
    await deps.traceState.fileLock(id, () => tidyTrace(deps, id, cold_pack ?? null));
}

/** Removes files of a trace that its records have replaced; what they name again, or others removed, is left alone. */
export async function dropReplaced(deps: Deps, traceId: string, names: readonly string[]): Promise<void> {
  const trace = await findTrace(deps.store.records, traceId);
  if (trace)
    await removeUnnamed(
      deps,
      traceId,
      names.map((name) => traceKey(traceId, name)),
    );
}

async function removeAll({ store }: Deps, traceId: string): Promise<void> {
  for (const key of await store.files.keysOf(traceId)) store.events.invalidate(key);
  await store.files.removeTrace(traceId);
}

/** Packs of a cold trace that an attempt left which came to nothing. */
async function dropOtherPacks({ store }: Deps, traceId: string): Promise<void> {
  const pack = await findArtifact(store.records, traceId, "pack");
  if (!pack) return;
  for (const key of await store.files.coldKeysOf(traceId))
    if (key !== pack.path) await store.files.remove(key);
}

/** Loose files of blobs that lie in the pack too and that no hot trace needs. */
async function dropPackedLoose(deps: Deps, traceId: string): Promise<void> {
  const { records } = deps.store;
  const packed = await locationsWithin(records, traceId);
  for (let at = 0; at < packed.length; at += BLOBS_AT_ONCE) {
    const hashes = packed.slice(at, at + BLOBS_AT_ONCE).map(({ hash }) => hash);
    await commit(deps, async (trx) => {
      if ((await findTrace(trx, traceId))?.tier !== "warm") return;
      const needed = await neededByHot(trx, hashes, null);
      await forgetLoose(
        trx,
        hashes.filter((hash) => !needed.has(hash)),
      );
    });
  }
  await removeLeaving(deps.store);
}
