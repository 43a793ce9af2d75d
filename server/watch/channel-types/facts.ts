/** What may be told over a channel: the events of decisions, section 7, a test, and what breaks on our own side. */
export const EVENTS = [
  "incident.opened",
  "incident.resolved",
  "gate.failed",
  "fix.pr_opened",
  "shadow_diff.detected",
  "test",
  "channel.broken",
  "monitor.errors",
] as const;
export type NotificationEvent = (typeof EVENTS)[number];

/** What is told, for every channel the same. Strings that do not apply are empty (decisions, section 7). */
export interface Facts {
  event: NotificationEvent;
  orgId: string;
  incidentId: string;
  scenarioSlug: string;
  region: string;
  runId: string;
  failureSignature: string;
  traceUrl: string;
  /** ISO 8601: when it happened. */
  timestamp: string;
  /** One sentence: what has happened. */
  title: string;
  /** The cause, as the trace page tells it. */
  cause: string;
  severity: "critical" | "error" | "warning" | "info";
  /** Where to look; the incident's page. */
  url: string;
  /** ISO 8601: since when it fails; empty when it does not. */
  since: string;
}

/** Whether this ends what an earlier message of the same incident began. */
export const isEnd = ({ event }: Pick<Facts, "event">): boolean => event === "incident.resolved";
