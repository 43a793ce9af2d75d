import { expect } from "bun:test";
import { countAlike, newestOfFailures } from "../../../../store/records/alike-traces.ts";
import { putArtifact } from "../../../../store/records/artifacts.ts";
import { referenceBlobs, registerLooseBlobs } from "../../../../store/records/blobs.ts";
import { firstSeen, listFailureGroups } from "../../../../store/records/failures.ts";
import { addStepsAndKinds, setSearchText, tracesToIndex } from "../../../../store/records/search.ts";
import { searchTerms } from "../../../../store/records/search-text.ts";
import {
  bytesByDay,
  largestTraces,
  leavingByDay,
  oldestTraceAt,
  orphansByDay,
  scenariosById,
  storageTotals,
} from "../../../../store/records/storage.ts";
import { orphanBlobsOf } from "../../../../store/records/trace-blobs.ts";
import { countFacetsWithin } from "../../../../store/records/trace-facet-counts.ts";
import { countFacets, facetsMatching } from "../../../../store/records/trace-facets.ts";
import { listTraces, type TraceFilters } from "../../../../store/records/trace-list.ts";
import {
  insertTraceRecord,
  readTraceRecord,
  settleTraceRecords,
  traceRecordsDue,
  tracesLackingBlobs,
} from "../../../../store/records/trace-record.ts";
import { removeTrace, traceOrd, updateTrace } from "../../../../store/records/traces.ts";
import { type FillableRecords, START } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const DAY_MS = 24 * 60 * 60_000;
const TEXT = {
  title: "",
  failure: "",
  console: "",
  requests: "",
  assertions: "",
  thoughts: "",
  steps: "",
  kinds: [],
};

async function finds(on: FillableRecords, more: object): Promise<string[]> {
  const { traces } = await listTraces(on.records, { orgId: on.orgId, limit: 9, ...more });
  return traces.map(({ id }) => id);
}

const search: Contract = {
  noun: "search",
  keeps: {
    "words, phrases and beginnings find a trace by what was put last": async (on) => {
      const id = await on.trace(on.orgId);
      await setSearchText(on.records, traceOrd(id), { ...TEXT, failure: "the kettle is Über hot" });
      for (const typed of ["kettle", '"is uber"', "ket*", "HOT kettle"])
        expect(await finds(on, { words: searchTerms(typed)! })).toEqual([id]);
      await setSearchText(on.records, traceOrd(id), { ...TEXT, console: "teapot" });
      expect(await finds(on, { words: searchTerms("kettle")! })).toEqual([]);
    },
    "steps and kinds are added to traces that were not indexed by them": async (on) => {
      const id = await on.trace(on.orgId);
      expect(await tracesToIndex(on.records, 9)).toEqual([{ id, ord: traceOrd(id) }]);
      await addStepsAndKinds(on.records, traceOrd(id), { steps: "add to cart", kinds: ["agent.action"] });
      expect(await tracesToIndex(on.records, 9)).toEqual([]);
      expect(await finds(on, { stepWords: searchTerms("cart")! })).toEqual([id]);
      expect(await finds(on, { kind: "agent.*" })).toEqual([id]);
    },
  },
};

const traceList: Contract = {
  noun: "trace-list",
  keeps: {
    "one filter, several, those that leave out, ranges and pages, newest first": async (on) => {
      const a = await on.trace(on.orgId, { status: "failed", source: "pr", duration_ms: 5 });
      on.advance(1000);
      const b = await on.trace(on.orgId, { status: "failed", tier: "warm", duration_ms: 50 });
      on.advance(1000);
      const c = await on.trace(on.orgId, { pinned: 1, duration_ms: 500, slug: "other" });
      await on.trace(await on.org("other"));
      expect(await finds(on, {})).toEqual([c, b, a]);
      expect(await finds(on, { after: c, limit: 1 })).toEqual([b]);
      expect(await finds(on, { status: "failed" })).toEqual([b, a]);
      expect(await finds(on, { status: "failed", tier: "hot" })).toEqual([a]);
      expect(await finds(on, { notStatus: "failed" })).toEqual([c]);
      expect(await finds(on, { from: START + 1000, to: START + 2000 })).toEqual([b]);
      expect(await finds(on, { minDurationMs: 50, maxDurationMs: 50 })).toEqual([b]);
    },
    "a scenario with more filters, a pull request, a commit and a region": async (on) => {
      const scenarioId = await on.scenario(on.orgId, "checkout");
      const id = await on.trace(on.orgId, {
        status: "failed",
        pr_number: 7,
        code_sha: "ABC123",
        region: "EU",
      });
      await on.trace(on.orgId, { pr_number: 77 });
      expect(await finds(on, { scenarioId, status: "failed" })).toEqual([id]);
      for (const filter of [{ pr: 7 }, { codeSha: "abc1" }, { region: "eu" }])
        expect(await finds(on, filter)).toEqual([id]);
    },
  },
};

const facets: Contract = {
  noun: "trace-facets",
  keeps: {
    "counts follow what comes, changes and goes": async (on) => {
      const signature = { status: "failed" as const, failure_signature: "s", failure_message: "m" };
      const ids = [await on.trace(on.orgId), await on.trace(on.orgId, signature), await on.trace(on.orgId)];
      await updateTrace(on.records, ids[0]!, { pinned: 1, tier: "warm" });
      await removeTrace(on.records, ids[2]!);
      const counts = await countFacets(on.records, on.orgId, 9);
      expect(counts).toMatchObject({
        status: { passed: 1, failed: 1 },
        tier: { warm: 1, hot: 1 },
        pinned: 1,
      });
      expect(counts.scenarios).toMatchObject([{ slug: "checkout", count: 2 }]);
      expect(counts.signatures).toMatchObject([{ signature: "s", message: "m", count: 1 }]);
    },
  },
};

const facetCounts: Contract = {
  noun: "trace-facet-counts",
  keeps: {
    "values are counted within the other filters": async (on) => {
      const failed = { status: "failed" as const, failure_signature: "s", failure_message: "m" };
      await on.trace(on.orgId, { ...failed, duration_ms: 50 });
      await on.trace(on.orgId, { slug: "other", source: "pr" });
      const within = (filters: Partial<TraceFilters>) =>
        countFacetsWithin(on.records, { orgId: on.orgId, limit: 9, ...filters }, 9);
      expect(await within({ status: "failed" })).toMatchObject({
        status: { passed: 1, failed: 1 },
        source: {},
        scenarios: [{ slug: "checkout", count: 1 }],
        signatures: [{ signature: "s", message: "m", count: 1 }],
      });
      expect((await within({ source: "pr" })).signatures).toEqual([]);
      expect((await within({ minDurationMs: 50 })).status).toEqual({ failed: 1 });
    },
  },
};

const alike: Contract = {
  noun: "alike-traces",
  keeps: {
    "traces are counted by what they are alike in, up to so many kinds": async (on) => {
      const failed = { status: "failed" as const, failure_signature: "s" };
      await on.trace(on.orgId, { ...failed, failure_message: "before" });
      const id = await on.trace(on.orgId, { ...failed, failure_message: "after" });
      await on.trace(on.orgId);
      const counts = async () =>
        (await countAlike(on.records, on.orgId))
          ?.map(({ facet, signature, count }) => [facet.status, facet.tier, signature, count])
          .toSorted(([a = ""], [b = ""]) => (`${a}` < `${b}` ? -1 : 1));
      expect(await counts()).toEqual([
        ["failed", "hot", "s", 2],
        ["passed", "hot", null, 1],
      ]);
      expect(await countAlike(on.records, on.orgId, 1)).toBeNull();
      const newest = async (tier: "hot" | "warm") =>
        (
          await newestOfFailures(on.records, {
            orgId: on.orgId,
            signatures: ["s", "t"],
            facets: facetsMatching({ tier }),
          })
        ).get("s")?.message;
      expect([await newest("hot"), await newest("warm")]).toEqual(["after", undefined]);
      await updateTrace(on.records, id, { tier: "warm" });
      expect([await newest("hot"), await newest("warm")]).toEqual(["before", "after"]);
      await removeTrace(on.records, id);
      expect(await counts()).toEqual([
        ["failed", "hot", "s", 1],
        ["passed", "hot", null, 1],
      ]);
    },
  },
};

const storage: Contract = {
  noun: "storage",
  keeps: {
    "what leaves a tier, and which blobs are removed, is told by day": async (on) => {
      const today = Math.floor(START / DAY_MS);
      for (const aged_from of [START - 9 * DAY_MS, START, START])
        await on.trace(on.orgId, { aged_from, total_size_bytes: 10 });
      await on.trace(on.orgId, { pinned: 1, total_size_bytes: 10 });
      const moves = await leavingByDay(on.records, on.orgId, "hot", {
        ageMs: 2 * DAY_MS,
        now: START,
        most: 9,
      });
      expect(moves).toEqual([
        { day: today, bytes: 10, count: 1 },
        { day: today + 2, bytes: 20, count: 2 },
      ]);
      // Between the two halves of an hour lies midnight.
      const ageMs = 12.5 * 60 * 60_000;
      await on.trace(on.orgId, { by_clock: 1, pinned: 1, auto_pinned: 1, aged_from: START - 20 * 60_000 });
      for (const kind of ["hot", "clock"] as const) {
        const halves = await leavingByDay(on.records, on.orgId, kind, { ageMs, now: START - 9e9, most: 9 });
        const days = { hot: [today - 8, today + 1], clock: [today + 1] };
        expect(halves.map(({ day }) => day)).toEqual(days[kind]);
      }
      await on.trace(on.orgId, { by_clock: 1, aged_from: START - 40 * 60_000 });
      const both = await leavingByDay(on.records, on.orgId, "clock", { ageMs, now: START - 9e9, most: 9 });
      expect(both.map(({ day, count }) => [day, count])).toEqual([
        [today, 1],
        [today + 1, 1],
      ]);
      const id = await on.trace(on.orgId);
      await registerLooseBlobs(on.records, [{ hash: "a", size: 4, suffix: "x" }], START);
      await referenceBlobs(on.records, id, [{ hash: "a", mediaType: null }]);
      await orphanBlobsOf(on.records, id, { now: START });
      const gone = await orphansByDay(on.records, { graceMs: DAY_MS, now: START, most: 9 });
      expect(gone).toEqual([{ day: today + 1, bytes: 4, count: 1 }]);
    },
    "totals by tier and day follow what comes, changes and goes": async (on) => {
      const id = await on.trace(on.orgId, { total_size_bytes: 10 });
      await on.trace(on.orgId, { total_size_bytes: 30 });
      await updateTrace(on.records, id, { total_size_bytes: 20, tier: "warm" });
      await putArtifact(on.records, {
        trace_id: id,
        kind: "k",
        path: "p",
        size: 7,
        media_type: "a/b",
        sha256: "0",
      });
      const day = Math.floor(START / DAY_MS);
      expect(await oldestTraceAt(on.records, on.orgId)).toBe(START);
      expect((await largestTraces(on.records, on.orgId, 1)).map((trace) => trace.total_size_bytes)).toEqual([
        30,
      ]);
      expect([
        ...(await scenariosById(on.records, [await on.scenario(on.orgId, "checkout")])).values(),
      ]).toEqual([{ slug: "checkout", title: "checkout" }]);
      expect(await storageTotals(on.records, on.orgId, "tier", 9)).toEqual([
        { value: "hot", bytes: 30, count: 1 },
        { value: "warm", bytes: 20, count: 1 },
      ]);
      expect(await storageTotals(on.records, on.orgId, "artifact", 9)).toEqual([
        { value: "k", bytes: 7, count: 1 },
      ]);
      expect((await bytesByDay(on.records, on.orgId, [day])).get(day)).toMatchObject({ bytes: 50, count: 2 });
    },
  },
};

const record: Contract = {
  noun: "trace-record",
  keeps: {
    "a trace is on the list of those to be written until it is written as it is": async (on) => {
      const id = await on.trace(on.orgId);
      const [due] = await traceRecordsDue(on.records, 9);
      await updateTrace(on.records, id, { pinned: 1 });
      await settleTraceRecords(on.records, [due!]);
      const again = await traceRecordsDue(on.records, 9);
      expect(again).toEqual([{ trace_id: id, changes: due!.changes + 1 }]);
      await settleTraceRecords(on.records, again);
      expect(await traceRecordsDue(on.records, 9)).toEqual([]);
    },
    "records that are lost are made anew from it, words and all": async (on) => {
      const id = await on.trace(on.orgId, { status: "failed" });
      await setSearchText(on.records, traceOrd(id), { ...TEXT, failure: "kettle", kinds: ["agent.action"] });
      await referenceBlobs(on.records, id, [{ hash: "a", mediaType: "a/b" }]);
      const kept = (await readTraceRecord(on.records, id))!;
      await removeTrace(on.records, id);
      expect(await readTraceRecord(on.records, id)).toBeNull();
      const unknown = { ...kept, trace: { ...kept.trace, of_a_newer_version: 1 } };
      await on.records.transaction().execute((trx) => insertTraceRecord(trx, unknown, on.now()));
      expect(await readTraceRecord(on.records, id)).toEqual(kept);
      expect(await finds(on, { words: searchTerms("kettle")! })).toEqual([id]);
      expect(await tracesLackingBlobs(on.records)).toEqual([{ trace_id: id, count: 1 }]);
    },
  },
};

const failures: Contract = {
  noun: "failures",
  keeps: {
    "failures of a period are grouped by signature, counted by scenario and part of the period": async (
      on,
    ) => {
      const period = { orgId: on.orgId, from: START, to: START + 10_000 };
      const failed = { status: "failed" as const, failure_signature: "s" };
      const first = await on.trace(on.orgId, failed);
      on.advance(2500);
      await on.trace(on.orgId, { ...failed, parent_trace_id: "p" });
      await on.trace(on.orgId, { ...failed, slug: "other", source: "pr" });
      on.advance(2500);
      const last = await on.trace(on.orgId, { ...failed, status: "error", failure_signature: "t" });
      on.advance(5000);
      await on.trace(on.orgId, failed);
      const groups = (more: object, page: object = {}) =>
        listFailureGroups(
          on.records,
          { ...period, ...more },
          { sort: "count", after: null, limit: 9, parts: 4, ...page },
        );
      expect(await groups({})).toMatchObject([
        { signature: "s", count: 2 },
        { signature: "t", count: 1, last_ord: traceOrd(last) },
      ]);
      expect(await groups({ source: "pr" })).toMatchObject([{ signature: "s", count: 1 }]);
      const after = { count: 2, lastOrd: traceOrd(first) };
      expect(await groups({}, { after })).toMatchObject([{ signature: "t" }]);
      expect(await groups({}, { sort: "last_seen" })).toMatchObject([{ signature: "t" }, { signature: "s" }]);
      const parts = (await groups({})).flatMap(({ signature, parts }) =>
        parts.map(({ part, count }) => [signature, part, count]),
      );
      expect(parts.sort()).toEqual([
        ["s", 0, 1],
        ["s", 1, 1],
        ["t", 2, 1],
      ]);
      expect(await firstSeen(on.records, on.orgId, "s")).toBe(START);
      const other = await on.scenario(on.orgId, "other");
      expect(await firstSeen(on.records, on.orgId, "s", other)).toBe(START + 2500);
    },
    "they are found by words of their message and of the scenario's title": async (on) => {
      const failed = { status: "failed" as const, failure_signature: "s" };
      const id = await on.trace(on.orgId, failed);
      await setSearchText(on.records, traceOrd(id), { ...TEXT, failure: "kettle", console: "teapot" });
      const found = async (words: string) => {
        const filters = { orgId: on.orgId, from: START, to: START + 1, words: searchTerms(words)! };
        return (
          await listFailureGroups(on.records, filters, { sort: "count", after: null, limit: 9, parts: 4 })
        ).length;
      };
      expect([await found("kettle"), await found("teapot")]).toEqual([1, 0]);
    },
  },
};

export const LISTS = [search, traceList, facets, facetCounts, alike, storage, record, failures];
