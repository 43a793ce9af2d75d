import { expect, test } from "bun:test";
import { lastPassQuery } from "../../../store/records/baselines.ts";
import { engineOf } from "../../../store/records/engine/engine-of.ts";
import { testRecords } from "../../helpers/records.ts";

test("any number of failures since the last pass costs nothing: every range is searched by the index", async () => {
  const on = await testRecords();
  const { sql, parameters } = lastPassQuery(engineOf(on.records), {
    ord: 1,
    org_id: on.orgId,
    scenario_id: "s",
  });
  const plan = on.plan(sql, parameters);
  await on.close();
  const reads = plan.filter((line) => /^(SCAN|SEARCH)/.test(line));
  expect(reads.length).toBeGreaterThan(0);
  for (const read of reads)
    expect(read).toContain("traces_by_scenario_facet (org_id=? AND scenario_id=? AND facet=? AND ord<?)");
  expect(plan.join()).not.toContain("TEMP B-TREE");
});
