import type { JSX } from "preact";
import type { Tier, TraceStatus } from "../api/answers.ts";
import { CheckCircle, Clock, CrossCircle, type Icon, Play, Snow, StopCircle, Warning } from "./icons.tsx";

/** How a trace or a test ended, or how far it is. */
export type Outcome = TraceStatus | "flaky" | "skipped" | "not_run";

const STATUS: Record<Outcome, { word: string; icon: Icon; tone: string }> = {
  passed: { word: "Passed", icon: CheckCircle, tone: "is-passed" },
  failed: { word: "Failed", icon: CrossCircle, tone: "is-failed" },
  error: { word: "Error", icon: Warning, tone: "is-error" },
  aborted: { word: "Aborted", icon: StopCircle, tone: "is-quiet" },
  running: { word: "Running", icon: Play, tone: "is-running" },
  flaky: { word: "Flaky", icon: Warning, tone: "is-error" },
  skipped: { word: "Skipped", icon: StopCircle, tone: "is-quiet" },
  not_run: { word: "Not run", icon: Clock, tone: "is-quiet" },
  queued: { word: "Queued", icon: Clock, tone: "is-quiet" },
};

/** Icon and word: the status never lies in the colour alone. */
export function Status({ status }: { status: Outcome }): JSX.Element {
  const { word, icon: StatusIcon, tone } = STATUS[status] ?? STATUS.queued;
  return (
    <span class={`status ${tone}`}>
      <StatusIcon />
      <span class="status-word">{word}</span>
    </span>
  );
}

export const statusWord = (status: Outcome): string => STATUS[status]?.word ?? status;
export const statusIcon = (status: Outcome): Icon => (STATUS[status] ?? STATUS.queued).icon;
export const statusTone = (status: Outcome): string => (STATUS[status] ?? STATUS.queued).tone;

/** Hot is the rule and says nothing; warm and cold say so. */
export function TierMark({ tier }: { tier: Tier }): JSX.Element {
  if (tier === "cold") {
    return (
      <span class="tier">
        <Snow /> cold
      </span>
    );
  }
  return <span class={tier === "hot" ? "tier dim" : "tier"}>{tier}</span>;
}

/** Something is arriving right now. */
export function LiveDot({ label = "Live" }: { label?: string }): JSX.Element {
  return (
    <span class="live" role="img" aria-label={label} title={label}>
      <span class="live-dot" />
      <span class="live-word">{label}</span>
    </span>
  );
}
