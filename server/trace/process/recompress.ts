import { rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fsyncFolder } from "../../../store/blobs/sync.ts";
import { contentName, eventIndexPath, TRACE_FILES } from "../../../store/files/names.ts";
import { artifactsOf, findArtifact, putArtifact } from "../../../store/records/artifacts.ts";
import { findTrace, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext } from "../../jobs/types.ts";
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
 * The job `trace.recompress`: stores the events of a finished trace at level 19, in files named by their content; the
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
  const target = await looseEvents(deps, traceId);
  if (!target) return;
  const folder = await openWorkFolder(store.layout, `${traceId}-events`, deps.ids.secret(12));
  try {
    const input: RecompressInput = { ...target, folder };
    const files = await keepingLease(deps, context, (kept) =>
      deps.tasks.run<OutputFile[]>("trace.recompress", input, { ...kept, background: true }),
    );
    await hooks.onStep?.("made");
    const home = store.layout.trace(traceId);
    if (!(await looseEvents(deps, traceId))) return;
    const named = namedByContent(files);
    for (const { from, name } of named) await rename(join(folder, from), join(home, name));
    await fsyncFolder(home);
    await hooks.onStep?.("moved");
    const isTheirs = await record(deps, traceId, named, target.path);
    await hooks.onStep?.("committed");
    if (!isTheirs) for (const { name } of named) await rm(join(home, name), { force: true });
  } finally {
    await closeWorkFolder(folder);
  }
}

type NamedFile = OutputFile & { from: string };

/** The index goes by the name of its events. */
function namedByContent(files: OutputFile[]): NamedFile[] {
  const { sha256 } = files.find(({ kind }) => kind === "ndjson")!;
  return files.map((file) => ({ ...file, from: file.name, name: contentName(file.name, sha256) }));
}

/** @returns false when the trace has left the hot tier, or its events are others by now. */
async function record(deps: Deps, traceId: string, files: NamedFile[], before: string): Promise<boolean> {
  const { layout } = deps.store;
  return commit(deps, async (within, after) => {
    const trace = await findTrace(within, traceId);
    const artifacts = await artifactsOf(within, traceId);
    const events = artifacts.find(({ kind }) => kind === "ndjson");
    if (trace?.tier !== "hot" || events?.pack_offset !== null) return false;
    if (join(layout.root, events.path) !== before) return false;
    const replaced: string[] = [];
    let grown = 0;
    for (const { kind, name, size, sha256, mediaType } of files) {
      const old = artifacts.find((one) => one.kind === kind);
      if (old) replaced.push(basename(old.path));
      grown += size - (old?.size ?? 0);
      await putArtifact(within, {
        trace_id: traceId,
        kind,
        path: `${layout.traceRelative(traceId)}/${name}`,
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

async function looseEvents(deps: Deps, traceId: string): Promise<{ path: string; indexPath: string } | null> {
  const { records, layout } = deps.store;
  const trace = await findTrace(records, traceId);
  const artifact = await findArtifact(records, traceId, "ndjson");
  if (trace?.tier !== "hot" || trace.status === "queued" || trace.status === "running") return null;
  if (artifact?.pack_offset !== null) return null;
  // A name by its content is one that this job gave.
  if (basename(artifact.path) !== TRACE_FILES.events) return null;
  const path = join(layout.root, artifact.path);
  return { path, indexPath: eventIndexPath(path) };
}
