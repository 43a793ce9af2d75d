import type { Settings } from "../../store/settings.ts";
import type { Clock } from "../platform/clock.ts";
import { AppError } from "./errors.ts";

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

/** Token buckets of one policy, by who is limited. */
export interface Buckets {
  take(key: string): Taken;
  /** What `take` would answer, without taking. */
  look(key: string): Taken;
  /** Puts back a token that was taken for what did not count after all. */
  giveBack(key: string): void;
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
  const policies: Record<RatePolicy, Buckets> = {
    read: createBuckets(clock, { name: "read", quota: limits.reads_per_minute }),
    write: createBuckets(clock, { name: "write", quota: limits.writes_per_minute }),
    ingest: createBuckets(clock, { name: "ingest", quota: limits.ingests_per_minute }),
  };
  return { take: (orgId, policy) => policies[policy].take(orgId) };
}

/**
 * @param options.quota tokens of a minute
 * @param options.most buckets that are kept; of more, the one that was not used for longest is forgotten
 */
export function createBuckets(
  clock: Pick<Clock, "monotonic">,
  options: { name: string; quota: number; most?: number },
): Buckets {
  const { name, quota, most = Number.POSITIVE_INFINITY } = options;
  const label = `"${name}"`;
  const policy = `${label};q=${quota};w=${WINDOW_SECONDS}`;
  const perMs = quota / (WINDOW_SECONDS * 1000);
  const buckets = new Map<string, Bucket>();

  function filled(key: string): Bucket {
    const at = clock.monotonic();
    const bucket = buckets.get(key);
    if (!bucket) return { tokens: quota, at };
    return { tokens: Math.min(quota, bucket.tokens + Math.max(0, at - bucket.at) * perMs), at };
  }

  function told({ tokens }: Bucket, allowed: boolean): Taken {
    const reset = Math.ceil((quota - tokens) / perMs / 1000);
    return {
      allowed,
      policy,
      state: `${label};r=${Math.floor(tokens)};t=${reset}`,
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perMs / 1000)),
    };
  }

  return {
    take(key) {
      const bucket = filled(key);
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      // A map keeps the order of insertion, so that the first is the one that was not used for longest.
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > most) buckets.delete(buckets.keys().next().value!);
      return told(bucket, allowed);
    },
    look(key) {
      const bucket = filled(key);
      return told(bucket, bucket.tokens >= 1);
    },
    giveBack(key) {
      if (!buckets.has(key)) return;
      const bucket = filled(key);
      buckets.set(key, { ...bucket, tokens: Math.min(quota, bucket.tokens + 1) });
    },
  };
}

/** The headers that tell a client what is left of a limit. */
export function limitHeaders({ policy, state }: Taken): Record<string, string> {
  return { "RateLimit-Policy": policy, RateLimit: state };
}

/** A 429. `what` says what there was too much of, such as "requests for this org". */
export function rateLimited(what: string, taken: Taken): AppError {
  return new AppError("rate_limited", `Too many ${what}; try again in ${taken.retryAfter} s.`, {
    headers: { ...limitHeaders(taken), "retry-after": String(taken.retryAfter) },
  });
}
