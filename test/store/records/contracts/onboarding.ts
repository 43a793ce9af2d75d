import { expect } from "bun:test";
import { recordAudit } from "../../../../store/records/audit.ts";
import { insertCheck, PREFLIGHT } from "../../../../store/records/checks.ts";
import { insertChannel, markWorking } from "../../../../store/records/notification-channels.ts";
import { ANALYTICS_ACK, milestonesOf } from "../../../../store/records/onboarding.ts";
import { setScenarioFile } from "../../../../store/records/scenarios.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const NOTHING = { scenario: null, pass: null, preflight: null, analytics: null, check: null, channel: null };

const file = { title: "Shop", path: "shop.scenario.md", source: "", compiled: "{}", now: 1 };

const act = (on: FillableRecords, action: string, at: number, orgId = on.orgId): Promise<void> =>
  on.records.transaction().execute((trx) =>
    recordAudit(trx, {
      ...{ orgId, at, action, target: "x", ip: null },
      actor: { type: "user", id: "u" },
    }),
  );

async function check(on: FillableRecords, counts_from: number, enabled: 0 | 1): Promise<void> {
  const scenario_id = await on.scenario(on.orgId, "shop");
  await insertCheck(
    on.records,
    {
      ...{
        id: on.ids.uuid(),
        org_id: on.orgId,
        scenario_id,
        origin: "api",
        cron: "@hourly",
        timezone: "UTC",
      },
      ...{ regions: "[]", shadow_prod: 0, alert_policy: "{}", enabled, counts_from },
      ...{ paused_at: null, paused_until: null, paused_by: null },
      ...{ next_run_at: null, last_run_at: null, last_tick_at: null, created_at: 1, updated_at: 1 },
    },
    10,
  );
}

async function channel(on: FillableRecords, enabled: 0 | 1): Promise<string> {
  const id = on.ids.uuid();
  const row = { id, org_id: on.orgId, type: "webhook", name: "Ops", sealed: new Uint8Array([1]), enabled };
  await insertChannel(on.records, { ...row, created_at: 1, updated_at: 1 }, 10);
  return id;
}

export const ONBOARDING: Contract[] = [
  {
    noun: "onboarding",
    keeps: {
      "an org that has nothing has come nowhere, whatever others have": async (on) => {
        await act(on, ANALYTICS_ACK, 5, await on.org("other"));
        expect(await milestonesOf(on.records, on.orgId)).toEqual(NOTHING);
      },
      "a scenario counts once it has a file, and its first pass then; that of a replay does not": async (
        on,
      ) => {
        const id = await on.scenario(on.orgId, "shop");
        const failed = await on.trace(on.orgId, { slug: "shop", status: "failed" });
        await on.trace(on.orgId, { slug: "shop", parent_trace_id: failed });
        await on.trace(on.orgId, { slug: "uploaded" });
        expect(await milestonesOf(on.records, on.orgId)).toEqual(NOTHING);
        await setScenarioFile(on.records, id, file);
        expect(await milestonesOf(on.records, on.orgId)).toEqual({ ...NOTHING, scenario: on.now() });
        on.advance(1000);
        const first = on.now();
        await on.trace(on.orgId, { slug: "shop" });
        on.advance(1000);
        await on.trace(on.orgId, { slug: "shop" });
        expect((await milestonesOf(on.records, on.orgId)).pass).toBe(first);
      },
      "what the audit log says counts from the first time on": async (on) => {
        for (const at of [7, 9]) for (const action of [PREFLIGHT, ANALYTICS_ACK]) await act(on, action, at);
        expect(await milestonesOf(on.records, on.orgId)).toMatchObject({ preflight: 7, analytics: 7 });
      },
      "only a check that is on counts, and only a channel that is on and over which something arrived":
        async (on) => {
          await check(on, 3, 0);
          await markWorking(on.records, await channel(on, 0), 4);
          const quiet = await channel(on, 1);
          expect(await milestonesOf(on.records, on.orgId)).toMatchObject({ check: null, channel: null });
          await check(on, 6, 1);
          await markWorking(on.records, quiet, 8);
          expect(await milestonesOf(on.records, on.orgId)).toMatchObject({ check: 6, channel: 8 });
        },
    },
  },
];
