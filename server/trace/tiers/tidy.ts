import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { removeUnregistered } from "../../../store/loose-blobs.ts";
import { artifactsOf } from "../../../store/records/artifacts.ts";
import { forgetLoose, locationsWithin, neededByHot } from "../../../store/records/trace-blobs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { coldDir } from "../files/locate.ts";

const BLOBS_AT_ONCE = 200;

/**
 * Removes the files of a trace that its records no longer name, after it moved between tiers or was removed. It decides
 * by the records alone, so it may run again, or late.
 */
export async function tidyTrace(deps: Deps, traceId: string, coldPack: string | null): Promise<void> {
  const trace = await findTrace(deps.store.records, traceId);
  const folder = deps.store.layout.trace(traceId);
  const names = existsSync(folder) ? await readdir(folder) : [];
  if (!trace) await dropFolder(deps, folder, names);
  else if (trace.tier === "hot") await dropUnnamed(deps, trace, [TRACE_FILES.pack]);
  else await dropUnnamed(deps, trace, names);
  if (trace?.tier === "warm") await dropPackedLoose(deps, traceId);
  if (coldPack !== null && trace?.tier !== "cold")
    await rm(join(coldDir(deps), basename(coldPack)), { force: true });
}

/** Removes files of a trace that its records have replaced; what they name again, or others removed, is left alone. */
export async function dropReplaced(deps: Deps, traceId: string, names: readonly string[]): Promise<void> {
  const trace = await findTrace(deps.store.records, traceId);
  if (trace) await dropUnnamed(deps, trace, names);
}

async function dropFolder(deps: Deps, folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) deps.store.events.invalidate(join(folder, name));
  await rm(folder, { recursive: true, force: true });
}

/** Of these names in the trace's folder, those that its records do not have. */
async function dropUnnamed(deps: Deps, trace: TraceRow, names: readonly string[]): Promise<void> {
  const { events, layout, records } = deps.store;
  const named = new Set((await artifactsOf(records, trace.id)).map(({ path }) => path));
  for (const name of names) {
    if (name === TRACE_FILES.record || named.has(`${layout.traceRelative(trace.id)}/${name}`)) continue;
    const path = join(layout.trace(trace.id), name);
    events.invalidate(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Loose files of blobs that lie in the pack too and that no hot trace needs. */
async function dropPackedLoose(deps: Deps, traceId: string): Promise<void> {
  const { records } = deps.store;
  const packed = await locationsWithin(records, traceId);
  for (let at = 0; at < packed.length; at += BLOBS_AT_ONCE) {
    const hashes = packed.slice(at, at + BLOBS_AT_ONCE).map(({ hash }) => hash);
    const unneeded = await commit(deps, async (trx) => {
      if ((await findTrace(trx, traceId))?.tier !== "warm") return [];
      const needed = await neededByHot(trx, hashes, null);
      const rest = hashes.filter((hash) => !needed.has(hash));
      await forgetLoose(trx, rest);
      return rest;
    });
    // Also those that an earlier attempt forgot without getting to their files.
    if (unneeded.length > 0) await removeUnregistered(deps.store, unneeded);
  }
}
