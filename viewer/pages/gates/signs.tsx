import type { JSX } from "preact";
import { CheckCircle, Clock, CrossCircle, type Icon, Play, StopCircle, Warning } from "../../ui/icons.tsx";
import type { GateItem } from "./api.ts";

type Shown = GateItem["status"] | "approved" | "rejected" | "none";

const STATUS: Record<Shown, { word: string; icon: Icon; tone: string }> = {
  queued: { word: "Queued", icon: Clock, tone: "is-quiet" },
  waiting: { word: "Waiting", icon: Clock, tone: "is-quiet" },
  running: { word: "Running", icon: Play, tone: "is-running" },
  passed: { word: "Passes", icon: CheckCircle, tone: "is-passed" },
  failed: { word: "Fails", icon: CrossCircle, tone: "is-failed" },
  error: { word: "Not judged", icon: Warning, tone: "is-error" },
  superseded: { word: "Superseded", icon: StopCircle, tone: "is-quiet" },
  cancelled: { word: "Cancelled", icon: StopCircle, tone: "is-quiet" },
  approved: { word: "Approved", icon: CheckCircle, tone: "is-passed" },
  rejected: { word: "Rejected", icon: CrossCircle, tone: "is-failed" },
  none: { word: "No gate", icon: StopCircle, tone: "is-quiet" },
};

/** Icon and word: the status never lies in the colour alone. What people decided goes before the verdict. */
export function GateStatus({ gate }: { gate: Pick<GateItem, "status" | "decision"> | null }): JSX.Element {
  const { word, icon: StatusIcon, tone } = STATUS[gate === null ? "none" : (gate.decision ?? gate.status)];
  return (
    <span class={`status ${tone}`}>
      <StatusIcon />
      <span class="status-word">{word}</span>
    </span>
  );
}

const RULES: Record<string, string> = {
  covers: "named by its covers",
  coverage: "loaded by its runs",
  scenario_file: "the scenario itself",
  all: "nobody knows all that changed",
};
export const ruleWord = (rule: string): string => RULES[rule] ?? rule;

/** As people write it. */
export const shortSha = (sha: string): string => sha.slice(0, 7);
