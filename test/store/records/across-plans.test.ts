import { afterAll, beforeAll, expect, test } from "bun:test";
import { engineOf } from "../../../store/records/engine/engine-of.ts";
import { type FailureFilters, failureGroupsQuery } from "../../../store/records/failures.ts";
import { runScenariosQuery } from "../../../store/records/histories.ts";
import { type TestRecords, testRecords } from "../../helpers/records.ts";

let store: TestRecords;
beforeAll(async () => {
  store = await testRecords();
});
afterAll(() => store.close());

test("failures of a period are grouped inside one index, without reading a trace", () => {
  const filters: FailureFilters = { orgId: store.orgId, from: 1, to: 2, scenarioId: "s", source: "pr" };
  for (const sort of ["count", "last_seen"] as const) {
    const after = { count: 3, lastOrd: 9 };
    const { sql, parameters } = failureGroupsQuery(engineOf(store.records), filters, {
      sort,
      after,
      limit: 50,
    });
    expect(store.plan(sql, parameters)[0]).toBe(
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
