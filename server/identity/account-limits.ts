import { createBuckets, rateLimited } from "../http/rate-limits.ts";
import type { Clock } from "../platform/clock.ts";
import { hashSecret } from "./key-secrets.ts";
import { plainAddress } from "./mail/address.ts";

/** How often sign-ins of one account may fail, from wherever they come. Addresses that nobody has count like any other. */
export interface AccountLimits {
  /** @throws AppError `rate_limited` */
  check(email: string): void;
  /** Counts a failure. */
  count(email: string): void;
}

/** Some megabytes at most. */
const MOST_ACCOUNTS = 20_000;

/** @param quota failures of a minute */
export function createAccountLimits(clock: Pick<Clock, "monotonic">, quota: number): AccountLimits {
  const buckets = createBuckets(clock, { name: "account", quota, most: MOST_ACCOUNTS });
  const keyOf = (email: string) => hashSecret(plainAddress(email));
  return {
    check(email) {
      const taken = buckets.look(keyOf(email));
      if (!taken.allowed) throw rateLimited("failed sign-ins of this account", taken);
    },
    count: (email) => void buckets.take(keyOf(email)),
  };
}
