import type { CompiledScenario, CompiledStep } from "../../run/language/ast.ts";
import type { Cause, RunEvidence } from "../../trace/format/cause/types.ts";
import type { StepEdit } from "../scenario-edit/edit.ts";
import type { PageModel } from "./page-model.ts";

/** What a failure is (decisions, section 7). */
export const CLASSIFICATIONS = [
  "locator_drift",
  "assertion_drift",
  "timing",
  "network_failure",
  "app_regression",
  "flake",
  "unknown",
] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

/** A failed run of a scenario, and the newest pass of it. */
export interface Failure {
  scenario: CompiledScenario;
  /** The step that failed. */
  step: CompiledStep;
  message: string;
  received: string | null;
  cause: Cause;
  run: SeenRun;
  /** Null when there is none to compare with. */
  pass: SeenRun | null;
  /** How the runs before ended, newest first, this one left out; `isSame` for a failure with the same signature. */
  history: { status: "passed" | "failed"; isSame: boolean; codeSha: string | null }[];
  /** The commit that the run was made of, where somebody said so. */
  codeSha: string | null;
}

export interface SeenRun {
  evidence: RunEvidence;
  /** The last recorded page of each step, as far as they were read, in the order of the steps. */
  pages: PageModel[];
}

/** A sentence with where it can be seen. */
export interface EvidenceLine {
  text: string;
  step_id: string | null;
  /** Sequence numbers of events of the failed trace, or with `of: "pass"` of the pass. */
  events: number[];
  of: "run" | "pass";
}

/** A patch of another file than the scenario's. */
export interface SourcePatch {
  /** In the repository, or what the address of the resource ends in. */
  path: string;
  /** Unified diff. */
  diff: string;
}

/** A change that may mend the scenario, or the application's source where the trace shows what broke it. */
export interface Mending {
  edits: StepEdit[];
  sources: SourcePatch[];
  /** One sentence. */
  summary: string;
  kind: "locator_drift" | "assertion_drift" | "app_regression";
  /** 0..1, before it was tried. */
  confidence: number;
  evidence: EvidenceLine[];
  /** The first step that is to be live when it is tried. */
  fromStep: number;
}

export interface Diagnosis {
  classification: Classification;
  confidence: number;
  summary: string;
  evidence: EvidenceLine[];
  /** Whether what was recorded says surely that it is not the scenario: then nothing of that is changed. */
  isBlamed: boolean;
  /** Best first; none where nothing is to be changed. */
  mendings: Mending[];
}
