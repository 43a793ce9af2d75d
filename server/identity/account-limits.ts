import { createBuckets, rateLimited } from "../http/rate-limits.ts";
import type { Clock } from "../platform/clock.ts";
import { hashSecret } from "./key-secrets.ts";
import { plainAddress } from "./mail/address.ts";

/** How often sign-ins of one account may fail, from wherever they come. Addresses that nobody has count like any other. */
export interface AccountLimits {
  /** Takes a token before a guess is compared, so that guesses at once are as few as others. @throws AppError `rate_limited` */
  take(email: string): void;
  /** Puts it back: the guess was right, or was not compared. */
  giveBack(email: string): void;
}

/** Some megabytes at most. */
const MOST_ACCOUNTS = 20_000;

/** @param quota failures of a minute */
export function createAccountLimits(clock: Pick<Clock, "monotonic">, quota: number): AccountLimits {
  const buckets = createBuckets(clock, { name: "account", quota, most: MOST_ACCOUNTS });
  const keyOf = (email: string) => hashSecret(plainAddress(email));
  return {
    take(email) {
      const taken = buckets.take(keyOf(email));
      if (!taken.allowed) throw rateLimited("failed sign-ins of this account", taken);
    },
    giveBack: (email) => buckets.giveBack(keyOf(email)),
  };
}
