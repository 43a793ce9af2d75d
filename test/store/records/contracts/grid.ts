import { expect } from "bun:test";
import { insertAlertResult } from "../../../../store/records/alert-results.ts";
import { noteSkipped } from "../../../../store/records/check-ticks.ts";
import { insertCheck } from "../../../../store/records/checks.ts";
import {
  cellsOf,
  drawCell,
  openIncidents,
  runningCells,
  silentCells,
  watchedChecks,
} from "../../../../store/records/grid.ts";
import { insertIncident } from "../../../../store/records/incidents.ts";
import type { Contract } from "./contract.ts";

const grid: Contract = {
  noun: "grid",
  keeps: {
    "a cell tells the history of its results and what was left out between them, and is silent after a fire that was left out":
      async (on) => {
        const { records, orgId } = on;
        const scenario_id = await on.scenario(orgId, "shop");
        const check = {
          ...{ id: on.ids.uuid(), org_id: orgId, scenario_id, origin: "api" as const, cron: "* * * * *" },
          ...{ timezone: "UTC", regions: '["a"]', shadow_prod: 0, alert_policy: "{}", enabled: 1 },
          ...{ paused_at: null, paused_until: null, paused_by: null, next_run_at: null, last_run_at: null },
          ...{ last_tick_at: 60, counts_from: 0, created_at: 1, updated_at: 1 },
        };
        await insertCheck(records, check, 9);
        await insertCheck(records, { ...check, id: on.ids.uuid(), enabled: 0 }, 9);
        const of = { org_id: orgId, scenario_id, region: "a" };
        const add = (
          run_id: string,
          at: number,
          status: "passed" | "failed" | "error",
          duration_ms: number,
        ) =>
          records.transaction().execute(async (trx) => {
            const rest = { failure_signature: null, trace_id: null, healed: 0, ignored: null };
            await insertAlertResult(trx, { ...of, run_id, at, status, duration_ms, kind: "run", ...rest });
            await drawCell(trx, of);
          });
        const skip = { check_id: check.id, region: "a", reason: "missed" as const, before: null, ticks: 3 };
        await add("r1", 10, "passed", 100);
        await noteSkipped(records, { ...skip, first_at: 20, last_at: 30 });
        await add("r2", 40, "passed", 300);
        await add("r3", 50, "failed", 900);
        expect(await cellsOf(records, orgId)).toEqual([
          {
            ...{ ...of, last_run_id: "r3", last_run_at: 50, last_status: "failed" as const },
            ...{ history: '["passing","no_data","passing","failing"]', p50_ms: 100, p99_ms: 300 },
          },
        ]);
        expect(await silentCells(records, orgId)).toEqual([]);
        await noteSkipped(records, { ...skip, first_at: 60, last_at: 60, ticks: 1 });
        expect(await silentCells(records, orgId)).toEqual([{ scenario_id, region: "a" }]);
        expect(await runningCells(records, orgId)).toEqual([]);
        expect(await watchedChecks(records, orgId, 9)).toMatchObject([{ id: check.id, slug: "shop" }]);
        const incident = {
          ...{ id: on.ids.uuid(), ...of, type: "failure_rate" as const, severity: "error" as const },
          ...{ rules: "[]", policy: "{}", opened_at: 50, last_run_id: "r3" },
        };
        await insertIncident(records, { ...incident, status: "open" });
        const ended = { id: on.ids.uuid(), status: "resolved" as const, resolved_at: 60 };
        await insertIncident(records, { ...incident, ...ended });
        expect((await openIncidents(records, orgId)).map(({ id }) => id)).toEqual([incident.id]);
      },
  },
};

export const GRID: Contract[] = [grid];
