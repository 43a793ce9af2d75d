import { expect } from "bun:test";
import {
  insertTestRunRecord,
  readTestRunRecord,
  settleTestRunRecords,
  testRunRecordsDue,
} from "../../../../store/records/test-run-record.ts";
import {
  attemptsOf,
  countOutcomes,
  findTests,
  lastTestPass,
  listTests,
  putAttempt,
  putTest,
  removeAttempts,
  testVerdicts,
  tracesOfTestRuns,
} from "../../../../store/records/test-run-tests.ts";
import {
  beginShard,
  claimTestRun,
  endShard,
  findTestRun,
  findTestRunByShortId,
  insertTestRun,
  interruptSilent,
  previousTestRun,
  pruneTestRuns,
  shardsOf,
  silentTestRuns,
  updateTestRun,
} from "../../../../store/records/test-runs.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const NOWHERE = { ci_provider: null, ci_run_id: null, ci_url: null, commit_sha: null, pr_number: null };

async function addRun({ records, orgId }: FillableRecords, id: string, at: number): Promise<string> {
  const times = { started_at: at, created_at: at, heard_at: at };
  const named = { id, short_id: `short-${id}`, org_id: orgId, name: "e2e", branch: "main" };
  await insertTestRun(records, { ...named, ...NOWHERE, ...times, is_dirty: 0, status: "running" });
  return id;
}

const runs: Contract = {
  noun: "test-runs",
  keeps: {
    "of two writers of a CI's run one makes it, until its day is over": async ({ records, orgId }) => {
      const claim = { orgId, ciRunId: "77", name: "" };
      expect(await claimTestRun(records, { ...claim, id: "a", now: 1, cutoff: 0 })).toBe("a");
      expect(await claimTestRun(records, { ...claim, id: "b", now: 2, cutoff: 0 })).toBe("a");
      expect(await claimTestRun(records, { ...claim, id: "c", now: 9, cutoff: 1 })).toBe("c");
    },
    "shards begin once and end; a run of which nothing is heard is interrupted with them, and forgotten":
      async (on) => {
        const { records } = on;
        const id = await addRun(on, "a", 5);
        const shard = { test_run_id: id, shard_index: 1, shard_total: 2, ended_at: null };
        await beginShard(records, { ...shard, status: "running" });
        await endShard(records, { ...shard, shard_index: 2, status: "passed", ended_at: 6 });
        const statuses = async () => (await shardsOf(records, [id])).get(id)!.map(({ status }) => status);
        expect(await statuses()).toEqual(["running", "passed"]);
        expect(await silentTestRuns(records, 4)).toEqual([]);
        const [silent] = await silentTestRuns(records, 5);
        expect(await interruptSilent(records, { ...silent!, heard_at: 4 })).toBe(false);
        expect(await interruptSilent(records, silent!)).toBe(true);
        expect(await statuses()).toEqual(["interrupted", "passed"]);
        await endShard(records, { ...shard, shard_index: 2, status: "interrupted", ended_at: 7 });
        expect(await statuses()).toEqual(["interrupted", "passed"]);
        await endShard(records, { ...shard, shard_index: 2, status: "failed", ended_at: 7 });
        await endShard(records, { ...shard, shard_index: 2, status: "passed", ended_at: 8 });
        expect(await statuses()).toEqual(["interrupted", "failed"]);
        expect(await findTestRunByShortId(records, "short-a")).toMatchObject({
          status: "interrupted",
          was_silent: 1,
        });
        const later = (await findTestRun(records, await addRun(on, "b", 8)))!;
        expect(await previousTestRun(records, later)).toMatchObject({ id: "a" });
        await pruneTestRuns(records, 6, 10);
        expect(await findTestRun(records, "a")).toBeNull();
        expect((await shardsOf(records, ["a"])).size).toBe(0);
      },
  },
};

const tests: Contract = {
  noun: "test-run-tests",
  keeps: {
    "a test and its attempts take the place of what was said of them; a trace that was named stays": async (
      on,
    ) => {
      const { records, orgId } = on;
      const runId = await addRun(on, "a", 1);
      const scenario = { orgId, scenarioId: await on.scenario(orgId, "buys") };
      const traceId = await on.trace(orgId, { slug: "buys", status: "failed", failure_message: "It broke." });
      const test = {
        ...{ test_run_id: runId, test_key: "k", org_id: orgId, scenario_id: scenario.scenarioId },
        ...{ project: "web", file: "shop.spec.ts", line: 3, title_path: '["buys"]', tags: '["@slow"]' },
        ...{ annotations: "[]", search_text: "shop.spec.ts buys 100%", expected: "passed" as const },
        ...{ duration_ms: 1, started_at: 2, last_attempt: 1 },
      };
      await putTest(records, { ...test, outcome: "failed" });
      await putTest(records, { ...test, outcome: "flaky" });
      const attempt = {
        ...{ test_run_id: runId, test_key: "k", attempt: 1, expected: "passed" as const, duration_ms: 1 },
        ...{ started_at: 2, error_message: null, error_stack: null, error_signature: null },
      };
      await putAttempt(records, { ...attempt, status: "failed", trace_id: traceId });
      await putAttempt(records, { ...attempt, status: "timed_out", trace_id: null });
      expect((await attemptsOf(records, runId, ["k"])).get("k")).toMatchObject([
        { status: "timed_out", trace_id: traceId, trace_message: "It broke.", trace_headline: null },
      ]);
      expect([...(await findTests(records, runId, ["k", "none"])).keys()]).toEqual(["k"]);
      expect(await countOutcomes(records, runId)).toMatchObject({ flaky: 1, failed: 0 });
      const list = async (words: string[], tag?: string) =>
        (await listTests(records, { runId, previousId: null, words, tag, limit: 9 })).length;
      expect([
        await list([]),
        await list(["SHOP", "100%"]),
        await list(["1%"]),
        await list([], "@slow"),
      ]).toEqual([...[1, 1, 0, 1]]);
      expect(await testVerdicts(records, scenario, { limit: 9 })).toMatchObject([{ outcome: "flaky" }]);
      expect([await lastTestPass(records, scenario), await lastTestPass(records, scenario, 1)]).toEqual([
        2,
        null,
      ]);
      expect(await tracesOfTestRuns(records, [traceId, "none"])).toEqual(new Set([traceId]));
      for (const further of [2, 3])
        await putAttempt(records, { ...attempt, attempt: further, status: "passed", trace_id: null });
      await removeAttempts(records, { runId, key: "k" }, [1, 3, 9]);
      await removeAttempts(records, { runId, key: "other" }, [2]);
      const left = (await attemptsOf(records, runId, ["k"])).get("k");
      expect(left!.map((one) => one.attempt)).toEqual([2]);
    },
  },
};

const record: Contract = {
  noun: "test-run-record",
  keeps: {
    "a run is due until its record is written, again when it changes, and when it goes": async (on) => {
      const { records } = on;
      const id = await addRun(on, "a", 5);
      const written = await testRunRecordsDue(records, 9);
      expect(written).toEqual([{ test_run_id: id, changes: 1 }]);
      await updateTestRun(records, id, { heard_at: 6, status: "passed", ended_at: 6 });
      await settleTestRunRecords(records, written);
      expect(await testRunRecordsDue(records, 9)).toEqual([{ test_run_id: id, changes: 2 }]);
      await settleTestRunRecords(records, [{ test_run_id: id, changes: 2 }]);
      expect(await testRunRecordsDue(records, 9)).toEqual([]);
      await pruneTestRuns(records, 9, 9);
      expect(await readTestRunRecord(records, id)).toBeNull();
      expect(await testRunRecordsDue(records, 9)).toHaveLength(1);
    },
    "a run is made anew from its record, with an attempt's trace where that is there": async (on) => {
      const { records, orgId } = on;
      const id = await addRun(on, "a", 5);
      await claimTestRun(records, { orgId, ciRunId: "77", name: "", id, now: 1, cutoff: 0 });
      await beginShard(records, {
        ...{ test_run_id: id, shard_index: 1, shard_total: 2, status: "running", ended_at: null },
      });
      const scenario_id = await on.scenario(orgId, "buys");
      const traceId = await on.trace(orgId, { slug: "buys" });
      await putTest(records, {
        ...{ test_run_id: id, test_key: "k", org_id: orgId, scenario_id, project: "web", file: "a.spec.ts" },
        ...{ line: 3, title_path: '["buys"]', tags: "[]", annotations: "[]", search_text: "buys" },
        ...{ expected: "passed", duration_ms: 1, started_at: 2, last_attempt: 2, outcome: "failed" },
      });
      for (const [attempt, trace_id] of [
        [1, traceId],
        [2, null],
      ] as const)
        await putAttempt(records, {
          ...{ test_run_id: id, test_key: "k", attempt, trace_id, status: "failed", expected: "passed" },
          ...{ duration_ms: 1, started_at: 2, error_message: "no", error_stack: null, error_signature: null },
        });
      const kept = (await readTestRunRecord(records, id))!;
      const again = async () => {
        await records.deleteFrom("test_run_keys").execute();
        await records.deleteFrom("test_runs").where("id", "=", id).execute();
        await records.deleteFrom("test_run_records_due").execute();
        await records.transaction().execute((trx) => insertTestRunRecord(trx, kept));
        return (await readTestRunRecord(records, id))!;
      };
      expect(await again()).toEqual(kept);
      await records.deleteFrom("traces").where("id", "=", traceId).execute();
      expect((await again()).attempts.map(({ trace_id }) => trace_id)).toEqual([null, null]);
    },
  },
};

export const TEST_RUNS = [runs, tests, record];
