import type { RegionProfile } from "../browsers/context.ts";
import type { ArtifactKind, CapturedBlob, CaptureManifest, RunVerdict } from "../capture/sink.ts";
import type { CloneOptions } from "../clones/set.ts";
import type { CompiledScenario } from "../language/ast.ts";
import type { CaughtUp } from "../playback/catch-up.ts";
import type { PlaybackPlan } from "../playback/plan.ts";
import type { Outcome } from "../runner/execution.ts";
import type { Fingerprint } from "../runner/fingerprint.ts";
import type { ValueSources } from "../runner/values.ts";

/** Everything that a runner process is told of a run. */
export interface RunTask {
  scenario: CompiledScenario;
  baseUrl: string | null;
  manifest: Omit<CaptureManifest, "version" | "scenario" | "started_at">;
  region: RegionProfile;
  excludeOrigins: string[];
  allowPrivateTargets: boolean;
  values: Omit<ValueSources, "clones">;
  clones: CloneOptions | null;
  fingerprints: Record<string, Fingerprint>;
  redaction: { headers: string[]; patterns: string[] };
  executable: string | null;
  /** Of a replay: what it is served before its first live step. */
  playback?: PlaybackPlan;
  /** Whether the outcome tells what the target met of the marks of a synthetic user. */
  watchMarks?: boolean;
}

/** From the server to a runner process. */
export type ToRunner =
  | { type: "run"; run: number; task: RunTask }
  /** Ends the run that is under way. */
  | { type: "stop"; how: "cancelled" | "timeout"; message: string }
  /** Answers a `call`. */
  | { type: "answer"; call: number; value: unknown }
  | { type: "refusal"; call: number; message: string };

/** What a runner process asks the server to keep: the calls of a `CaptureSink`. */
export type SinkCall =
  | { method: "begin"; manifest: CaptureManifest }
  | { method: "chunk"; n: number; bytes: Uint8Array }
  | { method: "blobs"; blobs: CapturedBlob[] }
  | { method: "artifact"; kind: ArtifactKind; bytes: Uint8Array }
  | { method: "end"; status: RunVerdict; endedAt: string };

export interface LogLine {
  level: "info" | "warn" | "error";
  message: string;
  stepId: string | null;
}

/** From a runner process to the server. */
export type FromRunner =
  | { type: "ready" }
  /** The browser's first process: whoever ends the runner by force ends it too. */
  | { type: "browser"; pid: number }
  /** `run` is the number that the run was given under. */
  | { type: "call"; run: number; call: number; what: SinkCall }
  | { type: "log"; run: number; line: LogLine }
  /** Of a replay that goes live. */
  | { type: "caught_up"; run: number; caughtUp: CaughtUp }
  /** An error came in it that nothing waited for: it should carry out no further run. */
  | { type: "fault"; message: string }
  | { type: "ended"; run: number; outcome: Outcome }
  | { type: "broken"; run: number; reason: string; message: string };
