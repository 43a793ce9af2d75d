import { join } from "node:path";
import { nameOfKey } from "../../../store/files/keys.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { artifactsOf, findArtifact, putArtifact } from "../../../store/records/artifacts.ts";
import { findTrace, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext } from "../../jobs/types.ts";
import { removeUnnamed } from "../files/unnamed.ts";
import { DROP_REPLACED } from "../tiers/kinds.ts";
import type { OutputFile } from "./output-files.ts";
import type { RecompressInput } from "./recompress-task.ts";
import { closeWorkFolder, openWorkFolder } from "./work-folder.ts";

/** Points at which a crash is survived; tests crash there. */
export type RecompressStep = "made" | "moved" | "committed";

export interface RecompressHooks {
  onStep?(step: RecompressStep): void | Promise<void>;
}

/** Whoever has just looked up where the events lie still finds them there. */
const REPLACED_KEPT_MS = 10 * 60_000;

/**
 * The job `trace.recompress`: stores the events of a finished trace at a high level of zstd, in files named by their content; the
 * row alone says which files count, so a crash at any point leaves a whole trace. The old files go later, by a job. A
 * trace that is being moved to another tier, or gone, is left alone.
 */
export async function storeSmaller(
  deps: Deps,
  traceId: string,
  context: Pick<JobContext, "signal" | "heartbeat">,
  hooks: RecompressHooks = {},
): Promise<void> {
  const { store } = deps;
  const before = await looseEvents(deps, traceId);
  if (before === null) return;
  const folder = await openWorkFolder(store.work, `${traceId}-events`, deps.ids.secret(12));
  try {
    const files = await make(deps, before, folder, context);
    await hooks.onStep?.("made");
    // Whoever clears away what no row names waits until these are named.
    await deps.traceState.fileLock(traceId, async () => {
      if ((await looseEvents(deps, traceId)) === null) return;
      // The index goes by the name of its events.
      const { sha256 } = files.find(({ kind }) => kind === "ndjson")!;
      const keys = await store.files.putAll(
        files.map(({ name }) => ({ path: join(folder, name), traceId, name, sha256 })),
      );
      await hooks.onStep?.("moved");
      const isTheirs = await record(deps, traceId, { files, keys, before });
      await hooks.onStep?.("committed");
      if (!isTheirs) await removeUnnamed(deps, traceId, keys);
    });
  } finally {
    await closeWorkFolder(folder);
  }
}

async function make(
  deps: Deps,
  events: string,
  folder: string,
  context: Pick<JobContext, "signal" | "heartbeat">,
): Promise<OutputFile[]> {
  const { path, indexPath, release } = await deps.store.events.lease({ key: events });
  try {
    const input: RecompressInput = { path, indexPath, folder, level: deps.traceState.finishedLevel };
    return await keepingLease(deps, context, (kept) =>
      deps.tasks.run<OutputFile[]>("trace.recompress", input, { ...kept, background: true }),
    );
  } finally {
    release();
  }
}

interface Smaller {
  files: OutputFile[];
  /** Theirs. */
  keys: string[];
  /** The key of the events that they take the place of. */
  before: string;
}

/** @returns false when the trace has left the hot tier, or its events are others by now. */
async function record(deps: Deps, traceId: string, { files, keys, before }: Smaller): Promise<boolean> {
  return commit(deps, async (within, after) => {
    const trace = await findTrace(within, traceId);
    const artifacts = await artifactsOf(within, traceId);
    const events = artifacts.find(({ kind }) => kind === "ndjson");
    if (trace?.tier !== "hot" || events?.pack_offset !== null) return false;
    if (events.path !== before) return false;
    const replaced: string[] = [];
    let grown = 0;
    for (const [at, { kind, size, sha256, mediaType }] of files.entries()) {
      const old = artifacts.find((one) => one.kind === kind);
      if (old) replaced.push(nameOfKey(old.path));
      grown += size - (old?.size ?? 0);
      await putArtifact(within, {
        trace_id: traceId,
        kind,
        path: keys[at]!,
        size,
        sha256,
        media_type: mediaType,
      });
    }
    await updateTrace(within, traceId, { total_size_bytes: Math.max(0, trace.total_size_bytes + grown) });
    await after.add({
      kind: DROP_REPLACED,
      payload: { trace_id: traceId, replaced },
      runAt: deps.clock.now() + REPLACED_KEPT_MS,
    });
    return true;
  });
}

/** The key of the events that are to be stored smaller; null when there are none. */
async function looseEvents(deps: Deps, traceId: string): Promise<string | null> {
  const { records } = deps.store;
  const trace = await findTrace(records, traceId);
  const artifact = await findArtifact(records, traceId, "ndjson");
  if (trace?.tier !== "hot" || trace.status === "queued" || trace.status === "running") return null;
  if (artifact?.pack_offset !== null) return null;
  // A name by its content is one that this job gave.
  return nameOfKey(artifact.path) === TRACE_FILES.events ? artifact.path : null;
}
