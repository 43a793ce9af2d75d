import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Selectable } from "kysely";
import { TRACE_FILES } from "../../../store/layout.ts";
import { type ArtifactRow, artifactsOf, putArtifact } from "../../../store/records/artifacts.ts";
import { LOOSE } from "../../../store/records/blobs.ts";
import { putCoverage } from "../../../store/records/coverage.ts";
import type { Trx } from "../../../store/records/db.ts";
import type { Database } from "../../../store/records/schema.ts";
import { setSearchText } from "../../../store/records/search.ts";
import { blobsOf, type NamedBlob } from "../../../store/records/trace-blobs.ts";
import { findTrace, type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext } from "../../jobs/types.ts";
import { fromIso } from "../../platform/clock.ts";
import { keepCause, lookAgain, type MadeCause, makeCause } from "../causes/make.ts";
import { blobLocation } from "../files/locate.ts";
import { STRING_TYPE } from "../format/event.ts";
import { RECOMPRESS, UPLOADED_SUMMARY } from "../kinds.ts";
import { newBlobs, registerBlobs } from "./blobs.ts";
import { finishByTrace, publishCompletion } from "./completion.ts";
import type { OutputFile } from "./output-files.ts";
import type { ProcessInput, ProcessOutput } from "./task.ts";
import { closeWorkFolder, moveIntoTrace, openWorkFolder } from "./work-folder.ts";

const TITLE_LENGTH = 300;

/** Points at which a crash is survived; tests crash there. */
export type ProcessStep = "started" | "made" | "moved" | "registered" | "committed";

export interface ProcessHooks {
  onStep?(step: ProcessStep): void | Promise<void>;
}

/**
 * The job `trace.process`: everything that is derived from a trace's events, and its final status. May be killed
 * anywhere and run again: until the transaction, nothing that a reader sees has changed but files that the next attempt
 * replaces; after it the trace is no longer queued and there is nothing to do.
 */
export async function postProcess(
  deps: Deps,
  traceId: string,
  context: Pick<JobContext, "signal" | "heartbeat">,
  hooks: ProcessHooks = {},
): Promise<void> {
  const { store } = deps;
  const trace = await findTrace(store.records, traceId);
  if (trace?.status !== "queued") return clearAway(deps, traceId);
  const began = deps.clock.monotonic();
  const artifacts = await artifactsOf(store.records, traceId);
  const blobs = await blobsOf(store.records, traceId);
  const folder = await openWorkFolder(store.layout, traceId, deps.ids.secret(12));
  try {
    await hooks.onStep?.("started");
    const input = inputOf(deps, trace, artifacts, blobs, folder);
    const output = await keepingLease(deps, context, (kept) =>
      deps.tasks.run<ProcessOutput>("trace.process", input, kept),
    );
    await hooks.onStep?.("made");
    await moveIntoTrace(
      folder,
      store.layout.trace(traceId),
      output.files.map(({ name }) => name),
    );
    store.events.invalidate(join(store.layout.trace(traceId), TRACE_FILES.events));
    await hooks.onStep?.("moved");
    const archive = `${store.layout.traceRelative(traceId)}/${TRACE_FILES.playwright}`;
    const isQueued = await registerBlobs(deps, traceId, archive, output, blobs);
    await hooks.onStep?.("registered");
    const cause = isQueued ? await causeOf(deps, trace, output, context) : null;
    const settled = isQueued
      ? await commit(deps, (within, after) =>
          settle(deps, within, after, traceId, artifacts, blobs, output, cause),
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

function inputOf(
  deps: Deps,
  trace: TraceRow,
  artifacts: ArtifactRow[],
  blobs: NamedBlob[],
  folder: string,
): ProcessInput {
  const { root } = deps.store.layout;
  const path = (kind: string) => {
    const found = artifacts.find((artifact) => artifact.kind === kind);
    return found ? join(root, found.path) : null;
  };
  const events = path("ndjson");
  const traceFolder = deps.store.layout.trace(trace.id);
  return {
    traceId: trace.id,
    folder,
    events:
      events === null
        ? null
        : {
            path: events,
            indexPath: path("event_index") ?? join(traceFolder, TRACE_FILES.eventIndex),
          },
    playwright: path("playwright"),
    summary: path(UPLOADED_SUMMARY.kind),
    hasRrweb: artifacts.some(({ kind }) => kind === "rrweb"),
    meta: {
      title: trace.scenario_title,
      scenarioSlug: trace.scenario_slug,
      claimedStatus: trace.claimed_status,
      statusReason: trace.status_reason,
      startedAt: trace.started_at,
      endedAt: trace.ended_at,
      environment: JSON.parse(trace.env) as Record<string, unknown>,
      warnings: JSON.parse(trace.warnings) as string[],
      finalScreenshot: trace.final_screenshot,
    },
    texts: new Map(
      blobs.flatMap(({ hash, mediaType, places: [place] }) =>
        mediaType === STRING_TYPE && place ? [[hash, blobLocation(deps, hash, place)]] : [],
      ),
    ),
    blobSizes: new Map(
      blobs.flatMap(({ hash, places }) => places.slice(0, 1).map(({ size }) => [hash, size])),
    ),
  };
}

/** Why it failed, to be seen with its final status; a cause that cannot be found now holds nothing up. */
async function causeOf(
  deps: Deps,
  trace: TraceRow,
  output: ProcessOutput,
  context: Pick<JobContext, "signal" | "heartbeat">,
): Promise<MadeCause | null> {
  if (!output.summary.failure) return null;
  const located = (kind: OutputFile["kind"]) => {
    const file = output.files.find((one) => one.kind === kind);
    const path = file && join(deps.store.layout.trace(trace.id), file.name);
    return path ? { path, offset: 0, storedSize: file.size, size: file.size, method: 0 as const } : null;
  };
  const fresh = { summary: located("summary")!, snapshots: located("snapshots") };
  try {
    return await keepingLease(deps, context, (kept) => makeCause(deps, trace, kept, fresh));
  } catch (error) {
    if (context.signal.aborted) throw error;
    deps.log.warn("the cause of a failure cannot be looked for", { trace_id: trace.id, error });
    return null;
  }
}

/** @returns the trace as it is now; null when it was removed or settled meanwhile. */
async function settle(
  deps: Deps,
  within: Trx,
  after: After,
  traceId: string,
  before: ArtifactRow[],
  blobs: NamedBlob[],
  output: ProcessOutput,
  cause: MadeCause | null,
): Promise<TraceRow | null> {
  const trace = await findTrace(within, traceId);
  if (trace?.status !== "queued") return null;
  const folder = deps.store.layout.traceRelative(traceId);
  for (const { kind, name, size, sha256, mediaType } of output.files)
    await putArtifact(within, {
      trace_id: traceId,
      kind,
      path: `${folder}/${name}`,
      size,
      sha256,
      media_type: mediaType,
    });

  await within
    .deleteFrom("artifacts")
    .where("trace_id", "=", traceId)
    .where("kind", "=", UPLOADED_SUMMARY.kind)
    .execute();

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
    blob_count: blobs.length + newBlobs(output, blobs),
    total_size_bytes: sizeOf(before, output, blobs),
    warnings: JSON.stringify(summary.warnings),
    // With what the archive tells of it, so that a bundle made of the trace tells it too.
    env: JSON.stringify({ ...summary.environment, ...(JSON.parse(trace.env) as Record<string, unknown>) }),
    ...(pin && { pinned: 1 }),
  });
  await setSearchText(within, trace.ord, output.search);
  if (output.coverage && trace.scenario_id)
    await putCoverage(within, trace.scenario_id, {
      paths: output.coverage,
      isWhole: summary.status === "passed",
      now: deps.clock.now(),
    });
  if (cause) await keepCause(within, traceId, cause, deps.clock.now());
  if (summary.status === "passed") await lookAgain(within, after, trace);
  await after.add({ kind: RECOMPRESS, payload: { trace_id: traceId }, dedupeKey: traceId });
  return lastWord(deps, within, after, traceId);
}

/** What goes with a trace's final status. */
async function lastWord(deps: Deps, within: Trx, after: After, traceId: string): Promise<TraceRow | null> {
  await finishByTrace(within, after, traceId);
  const trace = await findTrace(within, traceId);
  if (trace) publishCompletion(deps, after, trace);
  return trace;
}

/** Files and loose blobs; what lies inside an archive is counted with it. */
function sizeOf(
  before: Selectable<Database["artifacts"]>[],
  output: ProcessOutput,
  blobs: NamedBlob[],
): number {
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

/** Removes what is of no more use: an uploaded summary; the whole folder of a trace that was removed meanwhile. */
async function clearAway(deps: Deps, traceId: string): Promise<void> {
  const folder = deps.store.layout.trace(traceId);
  const trace = await findTrace(deps.store.records, traceId);
  if (!trace) await rm(folder, { recursive: true, force: true });
  else if (trace.status !== "queued") await rmUploadedSummaries(folder);
}

async function rmUploadedSummaries(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder))
    if (/^summary\.([0-9a-f]{12}\.)?uploaded\.json$/.test(name))
      await rm(join(folder, name), { force: true });
}
