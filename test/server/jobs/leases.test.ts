import { expect, test } from "bun:test";
import fc from "fast-check";
import { claimJob, extendLease, failJob, finishJob, releaseJob } from "../../../store/records/jobs.ts";
import { jobHouse } from "./harness.ts";

const LEASE = 10;
type Move =
  | { do: "claim"; worker: number }
  | { do: "finish" | "fail" | "release" | "extend"; worker: number }
  | { do: "wait"; ms: number };

const moves = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("claim" as const), worker: fc.nat(2) }),
    fc.record({
      do: fc.constantFrom("finish" as const, "fail" as const, "release" as const, "extend" as const),
      worker: fc.nat(2),
    }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 25 }) }),
  ),
  { maxLength: 40 },
) as fc.Arbitrary<Move[]>;

test("in every interleaving a job has one holder, only the holder settles it, and it is settled once", async () => {
  const house = jobHouse();
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      await house.records.deleteFrom("jobs").execute();
      let now = 1_000;
      await house.queue.add(house.records, { kind: "a", payload: {}, runAt: now, maxAttempts: 3 });
      let token = 0;
      let attempts = 0;
      let state: "queued" | "running" | "done" | "dead" = "queued";
      let visibleAt = now;
      let holder: { worker: number; token: string } | null = null;
      const held = new Map<number, { id: string; token: string }>();

      for (const step of steps) {
        if (step.do === "wait") {
          now += step.ms;
          continue;
        }
        if (step.do === "claim") {
          const mine = String(++token);
          const job = await claimJob(house.records, {
            kinds: ["a"],
            now,
            leaseUntil: now + LEASE,
            token: mine,
            server: "a",
          });
          const isClaimable = (state === "queued" || state === "running") && visibleAt <= now;
          expect(job !== null).toBe(isClaimable);
          if (!job) continue;
          state = "running";
          visibleAt = now + LEASE;
          holder = { worker: step.worker, token: mine };
          held.set(step.worker, { id: job.id, token: mine });
          expect(job.attempts).toBe(attempts);
          continue;
        }
        const lease = held.get(step.worker);
        if (!lease) continue;
        const isHolder = state === "running" && holder?.token === lease.token;
        const did: boolean = await settle(step.do);
        expect(did).toBe(isHolder);

        async function settle(verb: "finish" | "fail" | "release" | "extend"): Promise<boolean> {
          if (verb === "finish") {
            if (isHolder) state = "done";
            return finishJob(house.records, { ...lease!, now });
          }
          if (verb === "release") {
            if (isHolder) {
              state = "queued";
              visibleAt = now;
            }
            return releaseJob(house.records, { ...lease!, runAt: now });
          }
          if (verb === "extend") {
            if (isHolder) visibleAt = now + LEASE;
            return extendLease(house.records, { ...lease!, leaseUntil: now + LEASE });
          }
          const failed = attempts + 1;
          const retryAt = failed >= 3 ? null : now + 1;
          const result = await failJob(house.records, {
            ...lease!,
            now,
            attempts: failed,
            error: "x",
            retryAt,
          });
          if (isHolder) {
            attempts = failed;
            state = retryAt === null ? "dead" : "queued";
            if (retryAt !== null) visibleAt = retryAt;
          }
          return result;
        }
      }
      const row = await house.records.selectFrom("jobs").selectAll().executeTakeFirstOrThrow();
      expect({ state: row.state, attempts: row.attempts }).toEqual({ state, attempts });
    }),
    { numRuns: 60 },
  );
  await house.close();
});
