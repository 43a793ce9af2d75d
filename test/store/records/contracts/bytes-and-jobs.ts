import { expect } from "bun:test";
import {
  allLocations,
  bytesOfBlobs,
  findBlobLocation,
  findTraceBlob,
  forgetLoose,
  keepLooseBlobs,
  LOOSE,
  looseAmong,
  missingBlobs,
  referenceBlobs,
  registerLocations,
  registerLooseBlobs,
  tracesReferring,
} from "../../../../store/records/blobs.ts";
import {
  claimJob,
  countJobs,
  countUnhandled,
  deadJobs,
  extendLease,
  failJob,
  finishJob,
  hasJob,
  insertJob,
  nextDueAt,
  pruneJobs,
  pullBackJobs,
  releaseJob,
  reviveJob,
} from "../../../../store/records/jobs.ts";
import {
  blobsOf,
  forgetContainers,
  forgetLeaving,
  forgetReferences,
  leavingBlobs,
  locationsWithin,
  namedAmong,
  neededByHot,
  neededByOthers,
  orphanBlobsOf,
  orphansSince,
  takeOrphans,
} from "../../../../store/records/trace-blobs.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const packed = (traceId: string, hash: string) => ({
  ...{ hash, container: `traces/${traceId}/upload.zip`, offset: 40, storedSize: 2, size: 5 },
  method: 8 as const,
});
const names = (on: FillableRecords, traceId: string, ...hashes: string[]) =>
  referenceBlobs(
    on.records,
    traceId,
    hashes.map((hash) => ({ hash, mediaType: null })),
  );

const blobs: Contract = {
  noun: "blobs",
  keeps: {
    "a hash has several places; the loose file comes first, for its trace the trace's own archive": async (
      on,
    ) => {
      const id = await on.trace(on.orgId);
      await registerLocations(on.records, [packed(id, "a"), packed(id, "a")], 1);
      await registerLooseBlobs(on.records, [{ hash: "a", size: 5, suffix: "x" }], 1);
      await names(on, id, "a");
      expect(await findBlobLocation(on.records, "a")).toMatchObject({ container: LOOSE, storedSize: 5 });
      expect(await findTraceBlob(on.records, id, "a")).toMatchObject({ offset: 40, mediaType: null });
      expect(await allLocations(on.records)).toHaveLength(2);
      expect(await bytesOfBlobs(on.records)).toBe(10);
      expect(await tracesReferring(on.records, "a")).toEqual([id]);
    },
    "a media type that is known stays when the next mention knows none": async (on) => {
      const id = await on.trace(on.orgId);
      await registerLooseBlobs(on.records, [{ hash: "a", size: 5, suffix: "x" }], 1);
      for (const mediaType of ["a/b", null]) await referenceBlobs(on.records, id, [{ hash: "a", mediaType }]);
      expect(await findTraceBlob(on.records, id, "a")).toMatchObject({ mediaType: "a/b" });
    },
    "hashes without bytes, or without a loose file, are told from the others": async (on) => {
      const id = await on.trace(on.orgId);
      await registerLocations(on.records, [packed(id, "a")], 1);
      await registerLooseBlobs(on.records, [{ hash: "b", size: 5, suffix: "x" }], 1);
      expect(await missingBlobs(on.records, ["a", "b", "c"])).toEqual(["c"]);
      expect([...(await looseAmong(on.records, ["a", "b", "c"])).keys()]).toEqual(["b"]);
    },
    "a loose file that is forgotten is still to be removed; one that was damaged gives way to another":
      async (on) => {
        const register = (suffix: string, replaces?: string) =>
          registerLooseBlobs(on.records, [{ hash: "a", size: 1, suffix, replaces }], 1);
        await register("one");
        await register("two");
        expect(await findBlobLocation(on.records, "a")).toMatchObject({ suffix: "one" });
        expect(await leavingBlobs(on.records, 9)).toEqual([]);
        await register("three", "one");
        await register("four", "one");
        expect(await findBlobLocation(on.records, "a")).toMatchObject({ suffix: "three" });
        expect(await keepLooseBlobs(on.records, ["a", "b"])).toEqual(["b"]);
        await forgetLoose(on.records, ["a", "b"]);
        expect(await findBlobLocation(on.records, "a")).toBeNull();
        expect(await leavingBlobs(on.records, 9)).toEqual([
          { hash: "a", suffix: "one" },
          { hash: "a", suffix: "three" },
        ]);
        await forgetLeaving(on.records, [{ hash: "a", suffix: "one" }]);
        expect(await leavingBlobs(on.records, 9)).toEqual([{ hash: "a", suffix: "three" }]);
      },
  },
};

const traceBlobs: Contract = {
  noun: "trace-blobs",
  keeps: {
    "a trace's blobs come with every place of their bytes, also those without any": async (on) => {
      const id = await on.trace(on.orgId);
      await registerLocations(on.records, [packed(id, "a")], 1);
      await registerLooseBlobs(on.records, [{ hash: "a", size: 5, suffix: "x" }], 1);
      await names(on, id, "b", "a");
      const found = await blobsOf(on.records, id);
      expect(found.map(({ hash, places }) => [hash, places.length])).toEqual([
        ["a", 2],
        ["b", 0],
      ]);
      expect(await locationsWithin(on.records, id)).toEqual([packed(id, "a")]);
    },
    "what another trace needs of an archive is what lies nowhere else": async (on) => {
      const [id, other] = [await on.trace(on.orgId), await on.trace(on.orgId, { tier: "warm" })];
      await registerLocations(on.records, [packed(id, "a"), packed(id, "b"), packed(id, "c")], 1);
      await registerLooseBlobs(on.records, [{ hash: "b", size: 5, suffix: "x" }], 1);
      await names(on, id, "c");
      await names(on, other, "a", "b");
      expect(await neededByOthers(on.records, [id])).toEqual(["a"]);
      expect([...(await neededByHot(on.records, ["a", "c"], null))]).toEqual(["c"]);
      expect([...(await neededByHot(on.records, ["a", "c"], id))]).toEqual([]);
      await forgetContainers(on.records, id);
      expect(await locationsWithin(on.records, id)).toEqual([]);
    },
    "loose blobs that only a trace names are the collector's, until they are named again": async (on) => {
      const [id, other] = [await on.trace(on.orgId), await on.trace(on.orgId)];
      await registerLooseBlobs(
        on.records,
        ["a", "b", "c"].map((hash) => ({ hash, size: 1, suffix: "x" })),
        1,
      );
      await names(on, id, "a", "b", "c");
      await names(on, other, "b");
      for (const now of [1_772_366_400_000, 1_772_366_400_009])
        await orphanBlobsOf(on.records, id, { now, keep: "c" });
      await forgetReferences(on.records, id, "c");
      expect(await orphansSince(on.records, 1_772_366_399_999, 9)).toEqual([]);
      expect(await orphansSince(on.records, 1_772_366_400_000, 9)).toEqual(["a"]);
      expect([...(await namedAmong(on.records, ["a", "b", "c"]))].sort()).toEqual(["b", "c"]);
      await registerLooseBlobs(on.records, [{ hash: "a", size: 1, suffix: "x" }], 2);
      expect(await orphansSince(on.records, 1_772_366_400_009, 9)).toEqual([]);
      await orphanBlobsOf(on.records, other, { now: 3 });
      expect(await takeOrphans(on.records, ["a", "b"])).toEqual(["b"]);
    },
  },
};

const job = (id: string, more: object = {}) => ({
  ...{ id, kind: "k", dedupe_key: null, payload: "{}", state: "queued" as const, max_attempts: 3 },
  ...{ visible_at: 10, lease_token: null, last_error: null, created_at: 10, finished_at: null },
  ...more,
});

const jobs: Contract = {
  noun: "jobs",
  keeps: {
    "an open job of a kind and dedupe key is one, a settled one stands in nobody's way": async ({
      records,
    }) => {
      expect(await insertJob(records, job("a", { dedupe_key: "x" }))).toBe(true);
      expect(await insertJob(records, job("b", { dedupe_key: "x" }))).toBe(false);
      expect(await insertJob(records, job("c"))).toBe(true);
      expect(await insertJob(records, job("d"))).toBe(true);
      const claim = { kinds: ["k"], now: 10, leaseUntil: 20, token: "t", server: "s" };
      expect((await claimJob(records, claim))!.id).toBe("a");
      expect(await finishJob(records, { id: "a", token: "t", now: 11 })).toBe(true);
      expect(await insertJob(records, job("b", { dedupe_key: "x" }))).toBe(true);
      expect(await hasJob(records, "a")).toBe(true);
    },
    "the longest due job of the kinds is claimed, again when its lease is over, and settled by its holder alone":
      async ({ records }) => {
        await insertJob(records, job("a", { visible_at: 12 }));
        await insertJob(records, job("b"));
        await insertJob(records, job("c", { kind: "other", visible_at: 1 }));
        const claim = (now: number, token: string) =>
          claimJob(records, { kinds: ["k"], now, leaseUntil: now + 5, token, server: "s" });
        expect(await nextDueAt(records, ["k"])).toBe(10);
        expect(await claim(9, "early")).toBeNull();
        expect(await claim(12, "t")).toMatchObject({ id: "b", state: "running", visible_at: 17 });
        expect(await claim(12, "u")).toMatchObject({ id: "a" });
        expect(await claim(16, "v")).toBeNull();
        expect(await extendLease(records, { id: "a", token: "u", leaseUntil: 40 })).toBe(true);
        expect(await claim(17, "v")).toMatchObject({ id: "b" });
        expect(await finishJob(records, { id: "b", token: "t", now: 18 })).toBe(false);
        expect(await releaseJob(records, { id: "b", token: "v", runAt: 50 })).toBe(true);
        expect(
          await claimJob(records, { kinds: [], now: 99, leaseUntil: 100, token: "w", server: "s" }),
        ).toBeNull();
      },
    "what lies in a busy lane is left, what lies in none never": async ({ records }) => {
      await insertJob(records, job("a", { lane: "x" }));
      await insertJob(records, job("b", { lane: "y", visible_at: 11 }));
      await insertJob(records, job("c", { visible_at: 12 }));
      expect(await nextDueAt(records, ["k"], ["x"])).toBe(11);
      expect(await nextDueAt(records, ["k"], ["x", "y"])).toBe(12);
      const claim = { kinds: ["k"], now: 12, leaseUntil: 20, token: "t", server: "s" };
      expect(await claimJob(records, { ...claim, busyLanes: ["x"] })).toMatchObject({ id: "b", lane: "y" });
      expect(await claimJob(records, { ...claim, busyLanes: ["x", "y"] })).toMatchObject({ id: "c" });
      expect(await claimJob(records, { ...claim, busyLanes: ["x"] })).toBeNull();
      expect(await claimJob(records, claim)).toMatchObject({ id: "a" });
    },
    "failures are counted until the job is dead; it is revived once, if no other stands in for it": async ({
      records,
    }) => {
      await insertJob(records, job("a", { dedupe_key: "x" }));
      const claim = { kinds: ["k"], now: 60, leaseUntil: 90, token: "t", server: "s" };
      const failed = { id: "a", token: "t", now: 61, error: "no" };
      await claimJob(records, claim);
      expect(await failJob(records, { ...failed, attempts: 1, retryAt: 60 })).toBe(true);
      expect(await claimJob(records, claim)).toMatchObject({ attempts: 1, last_error: "no" });
      await failJob(records, { ...failed, attempts: 2, retryAt: null });
      expect((await deadJobs(records)).map(({ id }) => id)).toEqual(["a"]);
      await insertJob(records, job("b", { dedupe_key: "x" }));
      expect(await reviveJob(records, "a", 70)).toBe(false);
      await claimJob(records, { ...claim, token: "u" });
      await finishJob(records, { id: "b", token: "u", now: 71 });
      expect(await reviveJob(records, "a", 70)).toBe(true);
      expect(await countJobs(records)).toContainEqual({ state: "queued", kind: "k", count: 1 });
      expect(await countUnhandled(records, ["other"])).toEqual([{ kind: "k", count: 1 }]);
      expect(await countUnhandled(records, ["k"])).toEqual([]);
      const old = { before: 72, periodsBefore: 71, limit: 9 };
      await insertJob(records, job("period", { state: "done", finished_at: 71, period_at: 70 }));
      expect(await pruneJobs(records, old)).toBe(1);
      expect(await pruneJobs(records, { ...old, periodsBefore: 72 })).toBe(1);
    },
    "after the clock went back no lease and no wait is longer than it may be": async ({ records }) => {
      await insertJob(records, job("leased", { state: "running", lease_token: "t", visible_at: 900 }));
      await insertJob(records, job("waits", { attempts: 1, visible_at: 900 }));
      await insertJob(records, job("chosen", { visible_at: 900, created_at: 90 }));
      await insertJob(records, job("chosen ahead", { visible_at: 900, created_at: 800 }));
      await insertJob(records, job("at once", { visible_at: 800, created_at: 800 }));
      await pullBackJobs(records, { now: 100, maxLeaseMs: 50, maxRetryMs: 50 });
      const rows = await records.selectFrom("jobs").select(["id", "visible_at"]).orderBy("id").execute();
      expect(rows.map(({ id, visible_at }) => [id, visible_at])).toEqual([
        ["at once", 100],
        ["chosen", 900],
        ["chosen ahead", 200],
        ["leased", 100],
        ["waits", 100],
      ]);
    },
  },
};

export const BYTES_AND_JOBS = [blobs, traceBlobs, jobs];
