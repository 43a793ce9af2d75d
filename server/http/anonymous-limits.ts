import type { Settings } from "../../store/settings.ts";
import type { Clock } from "../platform/clock.ts";
import { type AddressOf, networkOf } from "./addresses.ts";
import { type Buckets, createBuckets, limitHeaders, rateLimited, type Taken } from "./rate-limits.ts";

const WHAT = {
  share: "reads of shared traces from this address",
  failed_authentication: "credentials that were refused from this address",
  sign_in: "sign-ins from this address",
  failed_sign_in: "sign-ins from this address",
  agent_signup: "sign-ups of agents from this address",
  registration: "registrations of programs from this address",
} as const;

/** What is counted per address. Failed sign-ins are counted apart: others must not keep a good one out. */
export type AnonymousPolicy = keyof typeof WHAT;

/**
 * Limits of those whom no org answers for: a token bucket per address, or per /64 of IPv6, which is what one
 * customer has. A request without an address (one that came by no socket) is not limited.
 */
export interface AnonymousLimits {
  /** Takes a token. Returns the headers for the answer. @throws AppError `rate_limited` */
  take(policy: AnonymousPolicy, request: Request): Record<string, string>;
  /** Takes none. @throws AppError `rate_limited` where there is none to take */
  check(policy: AnonymousPolicy, request: Request): void;
  /** Takes one, if there is one, for what has happened already. */
  count(policy: AnonymousPolicy, request: Request): void;
  /** Puts back what was taken for a request that turned out not to count. */
  giveBack(policy: AnonymousPolicy, request: Request): void;
}

/** Addresses that are remembered per policy: some megabytes at most. */
const MOST_ADDRESSES = 20_000;
/** Every agent registers once. */
const REGISTRATIONS_PER_MINUTE = 20;
/** Of all addresses together: what a registration leaves behind stays. */
const ALL_REGISTRATIONS_PER_MINUTE = 120;

export function createAnonymousLimits(options: {
  clock: Pick<Clock, "monotonic">;
  limits: Settings["rate_limits"]["anonymous"];
  addressOf: AddressOf;
}): AnonymousLimits {
  const { clock, limits, addressOf } = options;
  const of = (name: string, quota: number) => createBuckets(clock, { name, quota, most: MOST_ADDRESSES });
  const policies: Record<AnonymousPolicy, Buckets> = {
    share: of("share", limits.shares_per_minute),
    failed_authentication: of("failed-authentication", limits.failed_authentications_per_minute),
    sign_in: of("sign-in", limits.sign_ins_per_minute),
    failed_sign_in: of("sign-in", limits.sign_ins_per_minute),
    agent_signup: of("agent-signup", limits.sign_ins_per_minute),
    registration: of("registration", REGISTRATIONS_PER_MINUTE),
  };

  const registrations = createBuckets(clock, { name: "registration", quota: ALL_REGISTRATIONS_PER_MINUTE });

  function ask(how: "take" | "look", policy: AnonymousPolicy, request: Request): Taken | null {
    const address = addressOf(request);
    return address === null ? null : policies[policy][how](networkOf(address));
  }

  function orRefuse(policy: AnonymousPolicy, taken: Taken | null): Taken | null {
    if (taken && !taken.allowed) throw rateLimited(WHAT[policy], taken);
    return taken;
  }

  return {
    take(policy, request) {
      const taken = orRefuse(policy, ask("take", policy, request));
      if (taken && policy === "registration") {
        const all = registrations.take("");
        if (!all.allowed) throw rateLimited("registrations of programs on this server", all);
      }
      return taken ? limitHeaders(taken) : {};
    },
    check: (policy, request) => void orRefuse(policy, ask("look", policy, request)),
    count: (policy, request) => void ask("take", policy, request),
    giveBack(policy, request) {
      const address = addressOf(request);
      if (address !== null) policies[policy].giveBack(networkOf(address));
    },
  };
}
