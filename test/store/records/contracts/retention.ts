import { expect } from "bun:test";
import { coldBytesLeaving, expiredTraces, stillExpired } from "../../../../store/records/expired-traces.ts";
import { addTimeline, changeIncident, insertIncident } from "../../../../store/records/incidents.ts";
import { keepPlans, prunePlans, withPlan } from "../../../../store/records/run-plans.ts";
import { findRun, insertRun, pruneRuns } from "../../../../store/records/runs.ts";
import { type NewTrace, updateTrace } from "../../../../store/records/traces.ts";
import { type FillableRecords, START } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const DAY_MS = 24 * 60 * 60_000;

async function incident(on: FillableRecords, more: { trace_id: string | null; region?: string }) {
  const id = on.ids.uuid();
  await insertIncident(on.records, {
    ...{ id, org_id: on.orgId, scenario_id: await on.scenario(on.orgId, "checkout"), region: "a" },
    ...{ type: "failure_rate", status: "open", severity: "error", rules: "[]", policy: "{}" },
    ...{ opened_at: 1, acknowledged_at: null, acknowledged_by: null, suppressed_until: null },
    ...{ suppress_reason: null, resolved_at: null, parent_incident_id: null },
    ...{ failure_signature: null, last_run_id: "r", ...more },
  });
  return id;
}

async function traces(on: FillableRecords, all: Partial<NewTrace>[]): Promise<string[]> {
  const ids: string[] = [];
  for (const columns of all) {
    on.advance(1000);
    ids.push(await on.trace(on.orgId, { by_clock: 1, status: "failed", ...columns }));
  }
  return ids;
}

const due = async (on: FillableRecords, more: { isCold?: boolean; limit?: number } = {}) =>
  (
    await expiredTraces(on.records, {
      ...{ before: START + DAY_MS, now: START + 9 * DAY_MS, after: null, limit: 99, ...more },
    })
  ).map(({ id }) => id);

const expired: Contract = {
  noun: "expired-traces",
  keeps: {
    "what runs by the clock made goes by its age, unless somebody pinned or shares it, or it comes back":
      async (on) => {
        const [plain, auto, pinned, upload, running, shared, over, restoring] = await traces(on, [
          {},
          { pinned: 1, auto_pinned: 1 },
          { pinned: 1 },
          { by_clock: 0 },
          { status: "running" },
          { share_visibility: "org-only", share_expires_at: START + 10 * DAY_MS },
          { share_visibility: "org-only", share_expires_at: START + 8 * DAY_MS },
          { restoring: 1 },
        ]);
        expect([upload, running, pinned, shared, restoring].length).toBe(5);
        expect(await due(on)).toEqual([plain!, auto!, over!]);
        on.advance(DAY_MS);
        await traces(on, [{}]);
        expect(await due(on)).toEqual([plain!, auto!, over!]);
      },
    "a walk goes on behind the last one, also where ages are the same": async (on) => {
      const ids = await traces(on, [{ aged_from: START }, { aged_from: START }, { aged_from: START }]);
      const wanted = { before: START + 1, now: START, limit: 1 };
      const found: string[] = [];
      for (let after = null as { aged_from: number; ord: number } | null; ; ) {
        const [next] = await expiredTraces(on.records, { ...wanted, after });
        if (!next) break;
        found.push(next.id);
        after = next;
      }
      expect(found).toEqual(ids);
    },
    "the last three passes of each scenario stay": async (on) => {
      const passed = { status: "passed" } as const;
      const ids = await traces(on, [passed, passed, {}, passed, passed, passed]);
      await on.trace(on.orgId, { ...passed, by_clock: 1, slug: "other" });
      expect(await due(on)).toEqual([ids[0]!, ids[1]!, ids[2]!]);
    },
    "what an incident names stays while it is kept, and what it is told from while it goes on": async (
      on,
    ) => {
      const [named, told, other] = await traces(on, [{}, { run_id: "run-1" }, { run_id: "run-2" }]);
      const id = await incident(on, { trace_id: named! });
      const line = { at: 1, kind: "opened", actor: null, text: "t", samples: "[]" };
      await addTimeline(on.records, { incident_id: id, ...line, run_id: "run-1" });
      expect(await due(on)).toEqual([other!]);
      await changeIncident(on.records, id, { status: "resolved", resolved_at: 5 });
      expect(await due(on)).toEqual([told!, other!]);
    },
    "what was held meanwhile is told, with the age of what was not": async (on) => {
      const ids = await traces(on, [{}, {}]);
      await updateTrace(on.records, ids[0]!, { pinned: 1 });
      const free = await stillExpired(on.records, ids, START);
      expect([...free]).toEqual([[ids[1]!, START + 2000]]);
    },
    "what lies in the cold folder is found and counted by itself": async (on) => {
      const [, cold] = await traces(on, [
        { total_size_bytes: 5 },
        { tier: "cold", total_size_bytes: 7 },
        { tier: "cold", total_size_bytes: 9, pinned: 1 },
      ]);
      expect(await due(on, { isCold: true })).toEqual([cold!]);
      expect(await coldBytesLeaving(on.records)).toBe(7);
    },
  },
};

const plans: Contract = {
  noun: "run-plans",
  keeps: {
    "what many runs are made from is kept once, and is there again with each": async (on) => {
      const plan = JSON.stringify({ source: "x".repeat(300) });
      const kept = await keepPlans(on.records, [plan, plan, "{}"], START);
      expect(kept.get("{}")).toBe("{}");
      expect(kept.get(plan)).toMatch(/^@[0-9a-f]{64}$/);
      expect(await withPlan(on.records, { plan: kept.get(plan)! })).toEqual({ plan });
      expect(await withPlan(on.records, { plan: "{}" })).toEqual({ plan: "{}" });
    },
    "one that is used goes on, and goes when its runs have gone, unless an incident goes on that names one":
      async (on) => {
        const plan = JSON.stringify({ source: "y".repeat(300) });
        const id = on.ids.uuid();
        const row = {
          ...{ id, org_id: on.orgId, type: "schedule" as const, status: "failed" as const, region: "a" },
          ...{ scenario_id: await on.scenario(on.orgId, "checkout"), scenario_slug: "checkout", plan },
          ...{ base_url: null, trigger: "schedule", scheduled_at: START, ended_at: START },
        };
        await insertRun(on.records, row);
        const open = await incident(on, { trace_id: null });
        const line = { at: 1, kind: "opened", actor: null, text: "t", samples: "[]" };
        await addTimeline(on.records, { incident_id: open, ...line, run_id: id });
        on.advance(1000);
        const later = START + 40 * DAY_MS;
        expect(await pruneRuns(on.records, later, 9)).toBe(0);
        await prunePlans(on.records, later);
        expect((await findRun(on.records, id))!.plan).toBe(plan);
        await changeIncident(on.records, open, { status: "resolved", resolved_at: 5 });
        expect(await pruneRuns(on.records, later, 9)).toBe(1);
        await keepPlans(on.records, [plan], START + 35 * DAY_MS);
        await prunePlans(on.records, later);
        const count = () => on.records.selectFrom("run_plans").select("hash").execute();
        expect(await count()).toHaveLength(1);
        await prunePlans(on.records, later + 9 * DAY_MS);
        expect(await count()).toHaveLength(0);
      },
  },
};

export const RETENTION: Contract[] = [expired, plans];
