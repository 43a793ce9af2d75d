/** Types of incidents: the rule that opened it, or the outage that several make. */
export const INCIDENT_TYPES = [
  "consecutive_failures",
  "failure_rate",
  "latency_p99",
  "shadow_diff",
  "global_outage",
] as const;
export type IncidentType = (typeof INCIDENT_TYPES)[number];
export type Rule = Exclude<IncidentType, "global_outage">;

export const INCIDENT_STATUSES = ["open", "acknowledged", "suppressed", "resolved"] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

export const SEVERITIES = ["critical", "error", "warning"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const TIMELINE_KINDS = [
  "opened",
  "rule",
  "healed",
  "acknowledged",
  "suppressed",
  "reopened",
  "collapsed",
  "joined",
  "resolved",
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** What an incident may send. */
export const NOTICE_EVENTS = ["incident.opened", "incident.resolved", "shadow_diff.detected"] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** The region of a global outage. */
export const GLOBAL = "global";

/** One result that counts: of the last attempt of a scheduled run, or of a shadow diff. Times are epoch ms. */
export interface Result {
  runId: string;
  region: string;
  kind: "run" | "shadow";
  isSuccess: boolean;
  /** When the run ended. */
  at: number;
  durationMs: number;
  signature: string | null;
  traceId: string | null;
  /** Targets that were found another way. */
  healed: number;
}

export interface Incident {
  id: string;
  region: string;
  type: IncidentType;
  status: IncidentStatus;
  severity: Severity;
  /** Every rule that has fired, that which opened it first. */
  rules: IncidentType[];
  openedAt: number;
  /** When the first rule about failures fired; null while it is about slow runs or drift alone. */
  failingAt: number | null;
  acknowledgedAt: number | null;
  acknowledgedBy: string | null;
  suppressedUntil: number | null;
  suppressReason: string | null;
  resolvedAt: number | null;
  /** It ended since no check watched it any more, and not since it works again. */
  isUnwatched: boolean;
  parentId: string | null;
  /** Of the last failure. */
  signature: string | null;
  lastRunId: string;
  traceId: string | null;
}

/** Something to tell: due at a time, unless it was superseded or handed on before. */
export interface Notice {
  id: string;
  incidentId: string;
  event: NoticeEvent;
  /** Ids of the channels that it goes to; null for all that are enabled. */
  channels: readonly string[] | null;
  /** Once it was handed on, when that was. */
  dueAt: number;
  /** Why it is due when it is. */
  reason: string;
  isHandedOn: boolean;
  /** Why it will not be told; null while it may be. */
  superseded: string | null;
}

export interface TimelineEntry {
  incidentId: string;
  at: number;
  kind: TimelineKind;
  /** Who did it; null for what happened by itself. */
  actor: string | null;
  text: string;
  runId: string | null;
  /** Results that a rule looked at, oldest first. */
  samples: string[];
}

/** What is known of one scenario: its incidents that have not ended, and what was to be told of them. */
export interface AlertState {
  incidents: Incident[];
  notices: Notice[];
}

/** What a decision changes. Incidents stand whole, as they are after it. */
export interface Changes {
  opened: Incident[];
  changed: Incident[];
  timeline: TimelineEntry[];
  notices: Notice[];
  superseded: { id: string; reason: string }[];
}
