import type { Settings } from "../../store/settings.ts";
import type { Clock } from "../platform/clock.ts";

export type RatePolicy = "read" | "write" | "ingest";

export interface Taken {
  allowed: boolean;
  /** `RateLimit-Policy` and `RateLimit` of the answer (draft-ietf-httpapi-ratelimit-headers). */
  policy: string;
  state: string;
  /** Seconds until one more request is allowed; 0 when this one was. */
  retryAfter: number;
}

/** A token bucket per org and policy: a minute's worth at once, refilled evenly. */
export interface RateLimits {
  take(orgId: string, policy: RatePolicy): Taken;
}

interface Bucket {
  tokens: number;
  at: number;
}

const WINDOW_SECONDS = 60;

export function createRateLimits(
  clock: Pick<Clock, "monotonic">,
  limits: Settings["rate_limits"],
): RateLimits {
  const policies = {
    read: policyOf("read", limits.reads_per_minute),
    write: policyOf("write", limits.writes_per_minute),
    ingest: policyOf("ingest", limits.ingests_per_minute),
  };

  return {
    take(orgId, name) {
      const { quota, header, buckets, label } = policies[name];
      const now = clock.monotonic();
      const perMs = quota / (WINDOW_SECONDS * 1000);
      const bucket = buckets.get(orgId) ?? { tokens: quota, at: now };
      buckets.set(orgId, bucket);
      bucket.tokens = Math.min(quota, bucket.tokens + Math.max(0, now - bucket.at) * perMs);
      bucket.at = now;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      const reset = Math.ceil((quota - bucket.tokens) / perMs / 1000);
      return {
        allowed,
        policy: header,
        state: `${label};r=${Math.floor(bucket.tokens)};t=${reset}`,
        retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000)),
      };
    },
  };
}

function policyOf(name: RatePolicy, quota: number) {
  const label = `"${name}"`;
  return {
    quota,
    label,
    header: `${label};q=${quota};w=${WINDOW_SECONDS}`,
    buckets: new Map<string, Bucket>(),
  };
}
