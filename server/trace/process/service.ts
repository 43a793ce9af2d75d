import { join } from "node:path";
import type { NewFile } from "../../../store/files/files.ts";
import { growingKey } from "../../../store/files/keys.ts";
import {
  type ArtifactRow,
  artifactsOf,
  putArtifact,
  removeArtifact,
} from "../../../store/records/artifacts.ts";
import { LOOSE } from "../../../store/records/blobs.ts";
import { putCoverage } from "../../../store/records/coverage.ts";
import type { Trx } from "../../../store/records/db.ts";
import { setSearchText } from "../../../store/records/search.ts";
import { blobsOf, type NamedBlob } from "../../../store/records/trace-blobs.ts";
import { findTrace, type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";
import { fromIso } from "../../platform/clock.ts";
import { keepCause, lookAgain, lookAgainAt } from "../causes/make.ts";
import { removeUnnamed } from "../files/unnamed.ts";
import { RECOMPRESS, UPLOADED_SUMMARY } from "../kinds.ts";
import { isFinal } from "../model.ts";
import { newBlobs } from "./blobs.ts";
import { finishByTrace, publishCompletion } from "./completion.ts";
import { type Made, make, type ProcessContext } from "./make.ts";
import type { OutputFile } from "./output-files.ts";
import type { ProcessOutput } from "./task.ts";
import { closeWorkFolder, openWorkFolder } from "./work-folder.ts";

const TITLE_LENGTH = 300;

/** Points at which a crash is survived; tests crash there. */
export type ProcessStep = "started" | "made" | "moved" | "committed";

export interface ProcessHooks {
  onStep?(step: ProcessStep): void | Promise<void>;
}

/**
 * The job `trace.process`: everything that is derived from a trace's events, and its final status. May be killed
 * anywhere and run again: until the transaction, what it has made lies beside the trace's files and no row names it; after
 * it the trace is no longer queued, and what no row names is cleared away.
 */
export async function postProcess(
  deps: Deps,
  traceId: string,
  context: ProcessContext,
  hooks: ProcessHooks = {},
): Promise<void> {
  const { store } = deps;
  const trace = await findTrace(store.records, traceId);
  if (trace?.status !== "queued") return clearAway(deps, traceId);
  const began = deps.clock.monotonic();
  const artifacts = await artifactsOf(store.records, traceId);
  const blobs = await blobsOf(store.records, traceId);
  const folder = await openWorkFolder(store.work, traceId, deps.ids.secret(12));
  try {
    await hooks.onStep?.("started");
    const made = await make(deps, trace, { artifacts, blobs, folder }, context);
    const { output, isQueued } = made;
    await hooks.onStep?.("made");
    const keys = await store.files.putAll(output.files.map((file) => newFile(folder, traceId, file)));
    store.events.invalidate(growingKey(traceId));
    await hooks.onStep?.("moved");
    const settled = isQueued
      ? await commit(deps, (within, after) =>
          settle(deps, within, after, { ...made, traceId, before: artifacts, blobs, keys }),
        )
      : null;
    await hooks.onStep?.("committed");
    deps.metrics
      .histogram("post_processing_seconds", "From the start of post-processing to the final status.", {
        labelNames: ["status"],
        buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      })
      .observe((deps.clock.monotonic() - began) / 1_000, { status: settled?.status ?? "gone" });
    await clearAway(deps, traceId);
  } finally {
    await closeWorkFolder(folder);
  }
}

/** Events that were made of an archive have one form until they are stored smaller; the rest is named by its content. */
function newFile(folder: string, traceId: string, { kind, name, sha256 }: OutputFile): NewFile {
  const isEvents = kind === "ndjson" || kind === "event_index";
  return { path: join(folder, name), traceId, name, sha256: isEvents ? null : sha256 };
}

/** The trace's last word when post-processing failed for good: `error` with the reason, artifacts kept. */
export async function giveUp(deps: Deps, traceId: string, reason: string): Promise<void> {
  const { records } = deps.store;
  await commit(
    deps,
    async (within, after) => {
      const trace = await findTrace(within, traceId);
      if (trace?.status !== "queued") return;
      await updateTrace(within, traceId, {
        status: "error",
        status_reason: `Post-processing failed: ${reason}`,
      });
      await lastWord(deps, within, after, traceId);
    },
    async () => (await findTrace(records, traceId))?.status === "error",
  );
}

interface Settling extends Made {
  traceId: string;
  before: ArtifactRow[];
  blobs: NamedBlob[];
  /** Of the output's files, in their order. */
  keys: readonly string[];
}

/** @returns the trace as it is now; null when it was removed or settled meanwhile. */
async function settle(
  deps: Deps,
  within: Trx,
  after: After,
  { traceId, before, blobs, output, named, keys, cause }: Settling,
): Promise<TraceRow | null> {
  const trace = await findTrace(within, traceId);
  if (trace?.status !== "queued") return null;
  for (const [at, { kind, size, sha256, mediaType }] of output.files.entries())
    await putArtifact(within, {
      trace_id: traceId,
      kind,
      path: keys[at]!,
      size,
      sha256,
      media_type: mediaType,
    });

  await removeArtifact(within, traceId, UPLOADED_SUMMARY.kind);

  const { summary } = output;
  const pin = summary.status === "failed" && deps.config.settings.auto_pin_failed;
  await updateTrace(within, traceId, {
    status: summary.status,
    failure_signature: summary.failure_signature,
    failure_message: summary.failure?.message ?? null,
    failed_step_id: summary.failure?.step_id ?? null,
    failed_step_title: summary.failure?.step_id ? summary.failure.title.slice(0, TITLE_LENGTH) : null,
    final_screenshot: summary.final_screenshot?.slice("sha256:".length) ?? null,
    duration_ms: summary.duration_ms,
    started_at: millisecondsOf(summary.started_at),
    ended_at: millisecondsOf(summary.ended_at),
    event_count: summary.event_count,
    error_count: summary.error_count,
    blob_count: blobs.length + newBlobs(named, blobs),
    total_size_bytes: sizeOf(before, output, blobs),
    warnings: JSON.stringify(summary.warnings),
    // With what the archive tells of it, so that a bundle made of the trace tells it too.
    env: JSON.stringify({ ...summary.environment, ...(JSON.parse(trace.env) as Record<string, unknown>) }),
    ...(pin && { pinned: 1, auto_pinned: 1 }),
  });
  await setSearchText(within, trace.ord, output.search);
  if (output.coverage) await keepCoverage(within, trace, output.coverage, deps.clock.now());
  if (cause) {
    await keepCause(within, traceId, cause, deps.clock.now());
    if (output.cause) await lookAgainAt(within, after, trace, cause);
  }
  if (summary.status === "passed") await lookAgain(within, after, trace);
  await after.add({ kind: RECOMPRESS, payload: { trace_id: traceId }, dedupeKey: traceId });
  return lastWord(deps, within, after, traceId);
}

/**
 * What gates go by: a branch may add to it, and take nothing away from what the scenario of the others uses. What strangers ran says
 * nothing.
 * @param now epoch ms
 */
async function keepCoverage(within: Trx, trace: TraceRow, paths: string[], now: number): Promise<void> {
  if (trace.by_strangers === 1) return;
  const { status, source, scenario_id } = (await findTrace(within, trace.id))!;
  const isWhole = status === "passed" && source !== "pr";
  await putCoverage(within, scenario_id, { paths, isWhole, now });
}

/** What goes with a trace's final status. */
async function lastWord(deps: Deps, within: Trx, after: After, traceId: string): Promise<TraceRow | null> {
  await finishByTrace(within, after, traceId);
  const trace = await findTrace(within, traceId);
  if (trace) publishCompletion(deps, after, trace);
  return trace;
}

/** Files and loose blobs; what lies inside an archive is counted with it. */
function sizeOf(before: ArtifactRow[], output: ProcessOutput, blobs: NamedBlob[]): number {
  const files = new Map<string, number>(before.map(({ kind, size }) => [kind, size]));
  files.delete(UPLOADED_SUMMARY.kind);
  for (const { kind, size } of output.files) files.set(kind, size);
  const loose = blobs.flatMap(({ places }) =>
    places.filter(({ container }) => container === LOOSE).slice(0, 1),
  );
  return [...files.values(), ...loose.map(({ size }) => size)].reduce((sum, size) => sum + size, 0);
}

function millisecondsOf(iso: string | null): number | null {
  return iso === null ? null : fromIso(iso);
}

/** Removes what is of no more use: an uploaded summary, what earlier attempts made; all of a trace that was removed meanwhile. */
async function clearAway(deps: Deps, traceId: string): Promise<void> {
  await deps.traceState.fileLock(traceId, async () => {
    const trace = await findTrace(deps.store.records, traceId);
    if (!trace) await deps.store.files.removeTrace(traceId);
    else if (isFinal(trace.status)) await removeUnnamed(deps, traceId);
  });
}
