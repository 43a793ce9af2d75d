import type { JSX } from "preact";
import { CheckCircle, CrossCircle, type Icon, Pause, Tick } from "../../ui/icons.tsx";
import type { IncidentItem } from "./api.ts";

type Status = IncidentItem["status"];
type Type = IncidentItem["type"];

const STATUS: Record<Status, { word: string; icon: Icon; tone: string }> = {
  open: { word: "Open", icon: CrossCircle, tone: "is-failed" },
  acknowledged: { word: "Acknowledged", icon: Tick, tone: "is-error" },
  suppressed: { word: "Suppressed", icon: Pause, tone: "is-quiet" },
  resolved: { word: "Resolved", icon: CheckCircle, tone: "is-passed" },
};

/** Icon and word: the status never lies in the colour alone. */
export function IncidentStatus({ status }: { status: Status }): JSX.Element {
  const { word, icon: StatusIcon, tone } = STATUS[status];
  return (
    <span class={`status ${tone}`}>
      <StatusIcon />
      <span class="status-word">{word}</span>
    </span>
  );
}

const TYPES: Record<Type, string> = {
  consecutive_failures: "Failures in a row",
  failure_rate: "Failure rate",
  latency_p99: "Slow runs",
  shadow_diff: "Drift from production",
  global_outage: "Outage of several regions",
};

export const STATUSES = Object.keys(STATUS) as Status[];
export const TYPE_LIST = Object.keys(TYPES) as Type[];
export const statusWord = (status: Status): string => STATUS[status].word;
export const typeWord = (type: string): string => TYPES[type as Type] ?? type;
export const regionWord = (region: string): string => (region === "global" ? "all regions" : region);
