import type { Files } from "../../../store/files/files.ts";
import { nameOfKey } from "../../../store/files/keys.ts";
import { eventIndexPath, plainName, TRACE_FILES } from "../../../store/files/names.ts";
import { describeFile } from "../../../store/files/write.ts";
import type { RecordedArtifact, RecordedTrace, TraceRecord } from "../../../store/records/trace-record.ts";
import { traceCreatedAt } from "../../../store/records/traces.ts";
import { fromIso } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import { SLUG } from "../ingest/manifest.ts";
import { UPLOADED_SUMMARY } from "../kinds.ts";
import { findFile, preferred, readJson } from "./read.ts";

const FINAL = ["passed", "failed", "error", "aborted"] as const;
const HASH = /^[0-9a-f]{64}$/;
const LOOSE_FILE = { pack_offset: null, pack_stored_size: null, pack_method: null };

/** Files that a trace may have, besides events. */
const KNOWN_FILES: { name: string; kind: string; media_type: string }[] = [
  { name: TRACE_FILES.playwright, kind: "playwright", media_type: "application/zip" },
  { name: TRACE_FILES.snapshots, kind: "snapshots", media_type: "application/octet-stream" },
  { name: TRACE_FILES.rrweb, kind: "rrweb", media_type: "application/zstd" },
  { name: "video.webm", kind: "video", media_type: "video/webm" },
  { name: "video.mp4", kind: "video", media_type: "video/mp4" },
  { name: TRACE_FILES.report, kind: "report", media_type: "text/markdown" },
  { name: TRACE_FILES.summary, kind: "summary", media_type: "application/json" },
  { name: TRACE_FILES.manifest, kind: "manifest", media_type: "application/json" },
  { ...UPLOADED_SUMMARY, media_type: "application/json" },
];

/** The files of a hot trace by what lies with it. */
export async function filesOf(files: Files, traceId: string): Promise<RecordedArtifact[]> {
  const keys = await files.keysOf(traceId);
  const found: RecordedArtifact[] = [];
  const add = async (key: string, kind: string, media_type: string) => {
    const { path, release } = await files.local(key);
    found.push({ kind, path: key, media_type, ...LOOSE_FILE, ...(await describeFile(path)) });
    release();
  };
  const called = (name: string) => preferred(keys.filter((key) => plainName(nameOfKey(key)) === name));
  for (const { name, kind, media_type } of KNOWN_FILES) {
    const key = called(name);
    if (key) await add(key, kind, media_type);
  }
  const events = called(TRACE_FILES.events);
  if (events) await add(events, "ndjson", "application/zstd");
  const index = events && eventIndexPath(events);
  if (index && keys.includes(index)) await add(index, "event_index", "application/octet-stream");
  return found;
}

/**
 * What can be known of a trace that has no record: by its summary and manifest. One without a summary is queued, to be
 * processed again.
 * @param org that it is said to be of
 */
export async function olderRecord(
  ids: Pick<Ids, "uuid" | "shortId">,
  traceId: string,
  files: Files,
  org: TraceRecord["org"],
): Promise<TraceRecord> {
  const summary = ((await readNamed(files, traceId, TRACE_FILES.summary)) ?? {}) as Record<string, unknown>;
  const createdAt = traceCreatedAt(traceId);
  const slug = textOf(summary.scenario_slug);
  const scenarioSlug = slug && SLUG.test(slug) ? slug : "rebuilt";
  const title = textOf(summary.title) ?? scenarioSlug;
  return {
    version: 1,
    org,
    scenario: { id: ids.uuid(), slug: scenarioSlug, title, created_at: createdAt, updated_at: createdAt },
    trace: {
      ...traceOf(summary, createdAt),
      id: traceId,
      short_id: ids.shortId(),
      scenario_slug: scenarioSlug,
      scenario_title: title,
    },
    artifacts: [],
    blobs: await namedBlobs(files, traceId),
    places: [],
    words: { ...NO_WORDS, title },
  };
}

const NO_WORDS = {
  failure: "",
  console: "",
  requests: "",
  assertions: "",
  thoughts: "",
  steps: "",
  kinds: "",
};

function traceOf(
  summary: Record<string, unknown>,
  createdAt: number,
): Omit<RecordedTrace, "id" | "short_id" | "scenario_slug" | "scenario_title"> {
  const status = FINAL.find((word) => word === summary.status) ?? null;
  const failure = (summary.failure ?? {}) as Record<string, unknown>;
  const picture = textOf(summary.final_screenshot)?.replace(/^sha256:/, "") ?? "";
  return {
    status: status ?? "queued",
    status_reason: null,
    tier: "hot",
    pinned: 0,
    source: null,
    code_sha: null,
    pr_number: null,
    run_id: null,
    attempt: null,
    region: null,
    env: JSON.stringify(summary.environment ?? {}),
    claimed_status: status,
    failure_signature: textOf(summary.failure_signature),
    failure_message: textOf(failure.message),
    failed_step_id: textOf(failure.step_id),
    failed_step_title: textOf(failure.step_id) === null ? null : textOf(failure.title),
    final_screenshot: HASH.test(picture) ? picture : null,
    duration_ms: numberOf(summary.duration_ms),
    created_at: createdAt,
    started_at: fromIso(textOf(summary.started_at) ?? ""),
    ended_at: fromIso(textOf(summary.ended_at) ?? ""),
    aged_from: createdAt,
    by_clock: 0,
    by_strangers: 0,
    auto_pinned: 0,
    total_size_bytes: 0,
    blob_count: 0,
    event_count: numberOf(summary.event_count),
    error_count: numberOf(summary.error_count),
    warnings: JSON.stringify(Array.isArray(summary.warnings) ? summary.warnings : []),
    parent_trace_id: null,
    replay_from_step: null,
    next_chunk: 0,
    last_seq: null,
    last_chunk_at: null,
    search_version: 0,
  };
}

async function readNamed(files: Files, traceId: string, name: string): Promise<unknown> {
  const key = await findFile(files, traceId, name);
  return key === null ? null : readJson(files, key);
}

/** Of the blobs that the manifest names, those whose bytes were there. */
async function namedBlobs(files: Files, traceId: string): Promise<TraceRecord["blobs"]> {
  const manifest = (await readNamed(files, traceId, TRACE_FILES.manifest)) as { blobs?: unknown } | null;
  if (!Array.isArray(manifest?.blobs)) return [];
  return manifest.blobs.flatMap((blob: { hash?: unknown; size?: unknown; media_type?: unknown }) =>
    typeof blob?.hash === "string" && HASH.test(blob.hash) && typeof blob.size === "number"
      ? [{ hash: blob.hash, media_type: textOf(blob.media_type) }]
      : [],
  );
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const numberOf = (value: unknown): number =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
