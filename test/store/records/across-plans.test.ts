import { afterAll, beforeAll, expect, test } from "bun:test";
import { engineOf } from "../../../store/records/engine/engine-of.ts";
import { type FailureFilters, failureGroupsQuery } from "../../../store/records/failures.ts";
import { runScenariosQuery } from "../../../store/records/histories.ts";
import { behindQuery, hoursQuery } from "../../../store/records/result-hours.ts";
import { testsQuery } from "../../../store/records/test-run-tests.ts";
import { keysOfRunsQuery, oldTestRunsQuery, testRunsQuery } from "../../../store/records/test-runs.ts";
import { runningTracesQuery } from "../../../store/records/traces.ts";
import { type TestRecords, testRecords } from "../../helpers/records.ts";

let store: TestRecords;
beforeAll(async () => {
  store = await testRecords();
});
afterAll(() => store.close());

test("failures of a period are grouped inside indexes, without reading a trace; those of whole blocks are counted already", () => {
  const filters: FailureFilters = { orgId: store.orgId, from: 1, to: 2, scenarioId: "s", source: "pr" };
  const long = { ...filters, to: 9e12 + 1 };
  const groups = failureGroupsQuery(engineOf(store.records), long, {
    ...{ sort: "count", after: null, limit: 50, parts: 30 },
  })!;
  const plan = store.plan(groups.sql, groups.parameters);
  expect(plan).toContain(
    "SEARCH failure_blocks USING PRIMARY KEY (org_id=? AND minutes=? AND block>? AND block<?)",
  );
  expect(plan.filter((line) => line.includes("traces"))).toEqual([
    "SEARCH traces USING COVERING INDEX traces_failures (org_id=? AND ord>? AND ord<?)",
  ]);
  for (const sort of ["count", "last_seen"] as const) {
    const after = { count: 3, lastOrd: 9 };
    const { sql, parameters } = failureGroupsQuery(engineOf(store.records), filters, {
      sort,
      after,
      limit: 50,
      parts: 30,
    })!;
    expect(store.plan(sql, parameters)).toContain(
      "SEARCH traces USING COVERING INDEX traces_failures (org_id=? AND ord>? AND ord<?)",
    );
  }
});

test("each scenario's last trace is one step into an index", () => {
  const { sql, parameters } = runScenariosQuery(store.records, {
    orgId: store.orgId,
    text: "a",
    status: "failed",
    limit: 5,
  });
  const plan = store.plan(sql, parameters as (string | number)[]);
  expect(plan).toContain("SEARCH h USING COVERING INDEX traces_history (org_id=? AND scenario_id=?)");
  expect(plan).toContain("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
  expect(plan.some((line) => line.startsWith("SCAN t"))).toBe(false);
});

test("test runs and their tests come in the order of an index, without sorting", () => {
  const after = { startedAt: 5, id: "x" };
  const list = { orgId: store.orgId, after, limit: 51 };
  const plans = [
    list,
    { ...list, branch: "main" },
    { ...list, pr: 7 },
    { ...list, status: "failed" } as const,
  ].map((filters) => testRunsQuery(store.records, filters).compile());
  const tests = {
    runId: "r",
    previousId: "p",
    words: ["a"],
    limit: 51,
    after: { file: "a", line: 1, key: "k" },
  };
  plans.push(testsQuery(store.records, tests).compile());
  const found = plans.map(({ sql, parameters }) => store.plan(sql, parameters as string[]));
  expect(found.flat().filter((line) => line.includes("TEMP B-TREE"))).toEqual([]);
  expect(found.map(([first]) => /INDEX (\w+)/.exec(first!)?.[1])).toEqual([
    "test_runs_by_start",
    "test_runs_by_branch",
    "test_runs_by_pr",
    "test_runs_by_status",
    "test_run_tests_in_order",
  ]);
});

test("the hours and the newest results of a series are one walk each, without sorting", () => {
  const series = { scenario_id: "s", region: "r" };
  const behind = { after: { at: 1, run_id: "a" }, until: 9, limit: 100 };
  const plans = [hoursQuery(store.records, series, 1), behindQuery(store.records, series, behind)]
    .map((query) => query.compile())
    .map(({ sql, parameters }) => store.plan(sql, parameters as (string | number)[]));
  expect(plans).toEqual([
    ["SEARCH result_hours USING PRIMARY KEY (scenario_id=? AND region=? AND hour>?)"],
    ["SEARCH alert_results USING PRIMARY KEY (scenario_id=? AND region=? AND at>? AND at<?)"],
  ]);
});

test("what recurs every few seconds or minutes reads what it is about, and not all there is", () => {
  const found = [
    oldTestRunsQuery(store.records, 5, 10),
    keysOfRunsQuery(store.records, ["a", "b"]),
    runningTracesQuery(store.records),
  ].map((query) => {
    const { sql, parameters } = query.compile();
    return store.plan(sql, parameters as string[]);
  });
  expect(found).toEqual([
    ["SEARCH test_runs USING INDEX test_runs_old (started_at<?)"],
    ["SEARCH test_run_keys USING INDEX test_run_keys_of_run (test_run_id=?)"],
    ["SCAN traces USING INDEX traces_running"],
  ]);
});
