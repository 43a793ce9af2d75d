/** Where a recording goes while its run goes on. Every call resolves when what it brought is kept. */
export interface CaptureSink {
  /** How often it takes events, and how often blobs with them, ms: whoever takes them may bound its callers. */
  readonly pace: { eventsMs: number; blobsMs: number };
  begin(manifest: CaptureManifest): Promise<{ traceId: string; shortId: string }>;
  /** zstd-compressed NDJSON; `n` counts from 0 without gaps. */
  chunk(n: number, bytes: Uint8Array): Promise<void>;
  blobs(blobs: readonly CapturedBlob[]): Promise<void>;
  /** `rrweb` is zstd-compressed NDJSON. */
  artifact(kind: ArtifactKind, bytes: Blob): Promise<void>;
  end(status: RunVerdict, endedAt: string): Promise<void>;
}

/** What is still on its way when a run's pages are needed no more. */
export interface Keeping {
  /** Resolves when none of it becomes an event any more. */
  recorded: Promise<void>[];
  /** Resolves when the sink has it. @throws what the sink throws */
  kept: Promise<void>[];
}

export interface CapturedBlob {
  /** SHA-256, lower-case hex. */
  hash: string;
  bytes: Uint8Array;
}

export type ArtifactKind = "video" | "playwright" | "rrweb" | "summary" | "screenshot";
export type RunVerdict = "passed" | "failed" | "error" | "aborted";

/** A trace's manifest (decisions, section 5). */
export interface CaptureManifest {
  version: 1;
  scenario: { slug: string; title: string };
  started_at: string;
  code_sha?: string;
  source?: "pr" | "schedule" | "manual" | "shadow_diff";
  pr_number?: number;
  run_id?: string;
  attempt?: number;
  region?: string;
  env?: Record<string, unknown>;
}
