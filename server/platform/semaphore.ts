import { RunnerError } from "../run/errors.ts";

/** Lets so many at once go on for each org; more wait, first come, first served. */
export interface Turns {
  /** @throws RunnerError `aborted` when the signal aborts before its turn comes, or what the work throws */
  take<Result>(orgId: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(atOnce: number): Turns {
  const orgs = new Map<string, { busy: number; waiting: (() => void)[] }>();

  return {
    async take(orgId, signal, work) {
      const org = orgs.get(orgId) ?? { busy: 0, waiting: [] };
      orgs.set(orgId, org);
      while (org.busy >= atOnce && !signal.aborted)
        await new Promise<void>((resolve) => {
          org.waiting.push(resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      if (signal.aborted) throw new RunnerError("aborted", "The replay was ended before it began.");
      org.busy += 1;
      try {
        return await work();
      } finally {
        org.busy -= 1;
        // Whoever was ended meanwhile takes no turn, so all look again.
        for (const wake of org.waiting.splice(0)) wake();
      }
    },
  };
}
