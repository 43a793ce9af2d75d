import { fromIso } from "../../platform/clock.ts";

const OLDEST_MS = 10 * 60_000;
const AHEAD_MS = 5 * 60_000;
/** Numbers below are seconds: as milliseconds they would lie in 1973. */
const SECONDS_BELOW = 100_000_000_000;

/** Which field of an event is the time of this very action (decisions, section 7); those that are not named have none. */
const FIELDS: Record<string, { path: string; action?: string }> = {
  pull_request: { path: "pull_request.updated_at" },
  push: { path: "repository.pushed_at" },
  check_run: { path: "check_run.completed_at", action: "completed" },
  check_suite: { path: "check_suite.updated_at" },
  installation: { path: "installation.updated_at" },
  installation_repositories: { path: "installation.updated_at" },
  pull_request_review: { path: "review.submitted_at", action: "submitted" },
  deployment_status: { path: "deployment_status.updated_at" },
};

/** When what a payload tells of happened (epoch ms); null where it does not say. Commits' own times are never asked: anybody sets them. */
export function happenedAt(event: string, payload: Record<string, unknown>): number | null {
  const field = FIELDS[event];
  if (!field || (field.action !== undefined && payload.action !== field.action)) return null;
  let value: unknown = payload;
  for (const key of field.path.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : null;
  if (typeof value === "string") return fromIso(value);
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return null;
  return Math.trunc(value < SECONDS_BELOW ? value * 1000 : value);
}

/** Why a delivery of that time is not taken; null when it is. */
export function whyStale(happened: number | null, now: number): string | null {
  if (happened === null) return null;
  const minutes = (ms: number) => Math.floor(ms / 60_000);
  if (now - happened > OLDEST_MS)
    return `What it tells of happened ${minutes(now - happened)} minutes ago; at most ${minutes(OLDEST_MS)} are taken.`;
  if (happened - now > AHEAD_MS)
    return `What it tells of lies ${minutes(happened - now)} minutes ahead of this server's clock; at most ${minutes(AHEAD_MS)} are taken.`;
  return null;
}
