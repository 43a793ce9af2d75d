import { expect } from "bun:test";
import {
  allArtifacts,
  artifactsOf,
  bytesOfArtifacts,
  findArtifact,
  putArtifact,
  removeArtifact,
  removeArtifacts,
} from "../../../../store/records/artifacts.ts";
import { findLastPass } from "../../../../store/records/baselines.ts";
import { causesWithout, findCauseOf, headlinesOf, putCause } from "../../../../store/records/causes.ts";
import {
  firstFailureAfter,
  lastVerdict,
  listRunScenarios,
  pastTraces,
  tracesOfRun,
} from "../../../../store/records/histories.ts";
import {
  countShareViews,
  forgetShareViews,
  listShareViews,
  recordShareViews,
} from "../../../../store/records/share.ts";
import { tracesToMove, unpinnedOldest } from "../../../../store/records/tiers.ts";
import { chunkHash, forgetChunks, noteChunk } from "../../../../store/records/trace-chunks.ts";
import {
  findTrace,
  findTraceByOrd,
  findTraceByShortId,
  hasTrace,
  removeTrace,
  requeueTrace,
  runningTraces,
  traceOrd,
  updateTrace,
} from "../../../../store/records/traces.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

/** Traces a second apart, oldest first. */
async function traces(
  on: FillableRecords,
  ...given: Parameters<FillableRecords["trace"]>[1][]
): Promise<string[]> {
  const ids: string[] = [];
  for (const more of given) {
    on.advance(1000);
    ids.push(await on.trace(on.orgId, more));
  }
  return ids;
}

const found: Contract = {
  noun: "traces",
  keeps: {
    "a trace is found by its id, its short id and its place in the list's order": async (on) => {
      const id = await on.trace(on.orgId);
      const trace = (await findTrace(on.records, id))!;
      expect(trace).toMatchObject({
        ord: traceOrd(id),
        status: "passed",
        pinned: 0,
        env: "{}",
        warnings: "[]",
      });
      expect(await findTraceByShortId(on.records, trace.short_id)).toEqual(trace);
      expect(await findTraceByOrd(on.records, trace.ord)).toEqual(trace);
      expect(await hasTrace(on.records, id)).toBe(true);
      expect(await hasTrace(on.records, on.orgId)).toBe(false);
    },
    "changes say whether there was a trace to change": async (on) => {
      const [id] = await traces(on, { status: "running" });
      expect(await updateTrace(on.records, id!, { last_chunk_at: 7 })).toBe(true);
      expect(await runningTraces(on.records)).toEqual([{ id: id!, last_chunk_at: 7 }]);
      await requeueTrace(on.records, id!);
      expect(await findTrace(on.records, id!)).toMatchObject({ status: "running" });
      await updateTrace(on.records, id!, { status: "error", status_reason: "given up" });
      await requeueTrace(on.records, id!);
      expect(await findTrace(on.records, id!)).toMatchObject({ status: "queued", status_reason: null });
      expect(await removeTrace(on.records, id!)).toBe(true);
      expect(await removeTrace(on.records, id!)).toBe(false);
      expect(await updateTrace(on.records, id!, { pinned: 1 })).toBe(false);
    },
  },
};

const artifacts: Contract = {
  noun: "artifacts",
  keeps: {
    "there is one of each kind, and what comes loose again is in no pack": async (on) => {
      const id = await on.trace(on.orgId);
      const artifact = { trace_id: id, kind: "ndjson", path: "p", size: 3, media_type: "a/b", sha256: "0" };
      await putArtifact(on.records, { ...artifact, pack_offset: 1, pack_stored_size: 2, pack_method: 8 });
      await putArtifact(on.records, { ...artifact, size: 5 });
      await putArtifact(on.records, { ...artifact, kind: "video", size: 6 });
      expect(await findArtifact(on.records, id, "ndjson")).toMatchObject({ size: 5, pack_offset: null });
      expect(await bytesOfArtifacts(on.records)).toBe(11);
      await removeArtifacts(on.records, id, ["video"]);
      expect((await artifactsOf(on.records, id)).map(({ kind }) => kind)).toEqual(["video"]);
      await removeArtifact(on.records, id, "video");
      expect(await allArtifacts(on.records)).toEqual([]);
      expect(await bytesOfArtifacts(on.records)).toBe(0);
    },
    "files go with their trace": async (on) => {
      const id = await on.trace(on.orgId);
      await putArtifact(on.records, {
        trace_id: id,
        kind: "k",
        path: "p",
        size: 1,
        media_type: "a/b",
        sha256: "0",
      });
      await removeTrace(on.records, id);
      expect(await allArtifacts(on.records)).toEqual([]);
    },
  },
};

const chunks: Contract = {
  noun: "trace-chunks",
  keeps: {
    "a chunk is told by its number until the capture has ended": async (on) => {
      const trace_id = await on.trace(on.orgId);
      await noteChunk(on.records, { trace_id, n: 0, sha256: "a" });
      expect(await chunkHash(on.records, trace_id, 0)).toBe("a");
      await forgetChunks(on.records, trace_id);
      expect(await chunkHash(on.records, trace_id, 0)).toBeNull();
    },
  },
};

const tiers: Contract = {
  noun: "tiers",
  keeps: {
    "what moves is finished, unpinned, not being restored, and the oldest first": async (on) => {
      const size = { total_size_bytes: 10 };
      const [old, young] = await traces(
        on,
        { ...size, aged_from: 5 },
        { ...size, aged_from: 8, tier: "warm" },
        { ...size, aged_from: 1, pinned: 1 },
        { ...size, aged_from: 1, status: "running" },
        { ...size, aged_from: 1, restoring: 1 },
        { ...size, aged_from: 1, tier: "cold" },
      );
      expect(await tracesToMove(on.records, "hot", 6, 9)).toEqual([old!]);
      expect(await tracesToMove(on.records, "hot", 5, 9)).toEqual([]);
      expect(await unpinnedOldest(on.records, 9)).toEqual({
        bytes: 50,
        oldest: [
          { id: old!, tier: "hot", size: 10 },
          { id: young!, tier: "warm", size: 10 },
        ],
      });
    },
    "an empty store has no bytes": async ({ records }) => {
      expect(await unpinnedOldest(records, 9)).toEqual({ bytes: 0, oldest: [] });
    },
  },
};

const histories: Contract = {
  noun: "histories",
  keeps: {
    "a scenario's past is its finished traces, newest first, replays left out": async (on) => {
      const ids = await traces(
        on,
        { status: "passed", run_id: "r" },
        { status: "failed", run_id: "r", failure_message: "m".repeat(900) },
        { status: "failed", parent_trace_id: "p" },
        { status: "error" },
        { status: "queued" },
      );
      const of = { orgId: on.orgId, scenarioId: await on.scenario(on.orgId, "checkout") };
      const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
      expect(idsOf(await pastTraces(on.records, of, { limit: 9 }))).toEqual([ids[3]!, ids[1]!, ids[0]!]);
      const until = traceOrd(ids[1]!);
      const [newest] = await pastTraces(on.records, of, { limit: 1, until });
      expect(newest).toMatchObject({ id: ids[1]!, failure_message: "m".repeat(500) });
      expect(await lastVerdict(on.records, of, "passed")).toMatchObject({ id: ids[0]! });
      expect(await lastVerdict(on.records, of, "failed", until - 1)).toBeNull();
      expect(await firstFailureAfter(on.records, of, traceOrd(ids[0]!))).toMatchObject({ id: ids[1]! });
      expect(idsOf(await tracesOfRun(on.records, { ...of, runId: "r" }, 9))).toEqual([ids[0]!, ids[1]!]);
    },
    "scenarios are listed by their last trace, chosen by its status or by part of their name": async (on) => {
      const [pay, , find] = await traces(
        on,
        { slug: "pay", status: "passed" },
        { slug: "find", status: "passed" },
        { slug: "find", status: "failed" },
      );
      await on.scenario(on.orgId, "never");
      const list = async (more: object) =>
        (await listRunScenarios(on.records, { orgId: on.orgId, limit: 9, ...more })).map(({ slug }) => slug);
      expect(await list({})).toEqual(["find", "pay"]);
      expect(await list({ status: "failed" })).toEqual(["find"]);
      expect(await list({ text: "PA" })).toEqual(["pay"]);
      expect(await list({ after: traceOrd(find!) })).toEqual(["pay"]);
      expect(await list({ after: traceOrd(pay!) })).toEqual([]);
    },
  },
};

const baselines: Contract = {
  noun: "baselines",
  keeps: {
    "the last pass before a trace is one of its scenario, of any source, tier and pin, and no replay": async (
      on,
    ) => {
      const ids = await traces(
        on,
        { source: "pr", tier: "cold", pinned: 1 },
        { parent_trace_id: "p" },
        { slug: "other" },
        { status: "failed" },
        {},
      );
      const failed = (await findTrace(on.records, ids[3]!))!;
      expect(await findLastPass(on.records, failed)).toMatchObject({ id: ids[0]! });
      expect(await findLastPass(on.records, (await findTrace(on.records, ids[0]!))!)).toBeNull();
    },
  },
};

const share: Contract = {
  noun: "share",
  keeps: {
    "who opens a page again on the same day is counted, not listed anew, even without an address": async (
      on,
    ) => {
      const traceId = await on.trace(on.orgId);
      const view = { id: "a", traceId, at: 1000, ip: null, userAgent: "x", isEmbedded: false };
      const record = (views: (typeof view)[]) =>
        on.records.transaction().execute((trx) => recordShareViews(trx, views));
      await record([view, { ...view, id: "b", at: 3000 }]);
      await record([
        { ...view, id: "c", at: 2000, userAgent: "y" },
        { ...view, id: "d", traceId: "none" },
      ]);
      expect(await countShareViews(on.records, traceId)).toEqual({ views: 3, lastAt: 3000 });
      const list = await listShareViews(on.records, traceId);
      expect(list.map(({ id, at, times }) => [id, at, times])).toEqual([
        ["a", 3000, 2],
        ["c", 2000, 1],
      ]);
      await forgetShareViews(on.records, 3000);
      expect(await listShareViews(on.records, traceId)).toHaveLength(1);
      expect((await countShareViews(on.records, traceId)).views).toBe(3);
    },
  },
};

const causes: Contract = {
  noun: "causes",
  keeps: {
    "a cause takes the place of the one before, and goes with its trace; headlines come for a page of traces":
      async (on) => {
        const [a, b] = await traces(on, { status: "failed" }, { status: "failed" });
        const row = { trace_id: a!, engine: 1, baseline_id: null, cause: "{}", made_at: 1 };
        await putCause(on.records, { ...row, headline: "one" });
        await putCause(on.records, { ...row, headline: "two", engine: 2 });
        await putCause(on.records, { ...row, trace_id: b!, headline: null });
        expect(await findCauseOf(on.records, a!)).toMatchObject({ headline: "two", engine: 2 });
        expect([...(await headlinesOf(on.records, [a!, b!]))]).toEqual([[a!, "two"]]);
        expect((await headlinesOf(on.records, [])).size).toBe(0);
        await on.records.deleteFrom("traces").where("id", "=", a!).execute();
        expect(await findCauseOf(on.records, a!)).toBeNull();
      },
    "failures after a pass that were not compared with it are found": async (on) => {
      const [pass, failed] = await traces(on, { status: "passed" }, { status: "failed" });
      const row = { trace_id: failed!, engine: 1, headline: null, cause: "{}", made_at: 1 };
      const one = (await findTrace(on.records, pass!))!;
      await putCause(on.records, { ...row, baseline_id: null });
      expect(await causesWithout(on.records, one, 5)).toEqual([failed!]);
      await putCause(on.records, { ...row, baseline_id: pass! });
      expect(await causesWithout(on.records, one, 5)).toEqual([]);
    },
  },
};

export const TRACES = [found, artifacts, chunks, tiers, histories, baselines, causes, share];
