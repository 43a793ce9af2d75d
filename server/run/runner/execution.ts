import type { Browser } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import type { RegionProfile } from "../browsers/context.ts";
import type { CaptureManifest, CaptureSink, RunVerdict } from "../capture/sink.ts";
import type { CloneOptions } from "../clones/set.ts";
import type { CompiledScenario, CompiledStep } from "../language/ast.ts";
import type { PageScripts } from "../page-scripts/build.ts";
import type { CaughtUp } from "../playback/catch-up.ts";
import type { RecordedRun } from "../playback/plan.ts";
import type { RedactionRules } from "../redaction/redact.ts";
import type { Fingerprint, Heal } from "./fingerprint.ts";
import type { MarksSeen } from "./marks.ts";
import type { StepError } from "./step-record.ts";
import type { ValueSources } from "./values.ts";

/** Everything that a run is made of. */
export interface Execution {
  scenario: CompiledScenario;
  baseUrl: string | null;
  manifest: Omit<CaptureManifest, "version" | "scenario" | "started_at">;
  region: RegionProfile;
  excludeOrigins: readonly string[];
  /** Whether private, loopback, link-local and metadata addresses may be reached; clones always are. */
  allowPrivateTargets: boolean;
  values: Omit<ValueSources, "clones">;
  /** What the scenario's clones answer from; null for a run against the real third parties. */
  clones: CloneOptions | null;
  /** What earlier passes saw of the elements, as `Outcome.fingerprints` gave it. */
  fingerprints: Readonly<Record<string, Fingerprint>>;
  redaction: Omit<RedactionRules, "secrets">;
  /** The folder that `upload` takes files from. */
  filesFolder: string | null;
  browser: Browser;
  /** Ends the browser by force. */
  endBrowser(): void;
  pageScripts: PageScripts;
  sink: CaptureSink;
  /** Of a replay: what it is served before its first live step. */
  playback?: RecordedRun | null;
  /** Whether the outcome tells what the target met of the marks of a synthetic user. */
  watchMarks?: boolean;
  clock: Clock;
  ids: Ids;
  /** Ends the run early: its reason is a `StepFailure`, a `RunnerError`, or anything else for `aborted`. */
  signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Whether this host's own network works, asked when a target was not reached; the host's probe when absent. */
  isOnline?: (target: URL) => Promise<boolean>;
}

export type Progress =
  | { type: "started"; traceId: string; shortId: string }
  /** A replay goes live. */
  | { type: "caught_up"; caughtUp: CaughtUp }
  | { type: "step"; step: CompiledStep }
  | { type: "step_ended"; step: CompiledStep; durationMs: number; error: StepError | null };

export interface Outcome {
  traceId: string;
  shortId: string;
  status: RunVerdict;
  durationMs: number;
  /** Why it did not pass. */
  error: { reason: string | null; message: string; stepId: string | null } | null;
  /** Elements that were found by what earlier passes saw of them, in order. */
  heals: Heal[];
  /** What this run saw of the elements that it acted on. */
  fingerprints: Record<string, Fingerprint>;
  /** What the target met of the marks of a synthetic user; null where nobody asked, or the run broke before. */
  marks: MarksSeen | null;
}
