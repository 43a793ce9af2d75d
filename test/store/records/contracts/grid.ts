import { expect } from "bun:test";
import { insertAlertResult } from "../../../../store/records/alert-results.ts";
import { noteSkipped } from "../../../../store/records/check-ticks.ts";
import { insertCheck } from "../../../../store/records/checks.ts";
import type { Trx } from "../../../../store/records/db.ts";
import {
  cellsOf,
  drawCell,
  openIncidents,
  runningCells,
  watchedChecks,
} from "../../../../store/records/grid.ts";
import { insertIncident } from "../../../../store/records/incidents.ts";
import {
  foldOf,
  hoursOf,
  moveFold,
  pruneHours,
  putHour,
  resultsBehind,
  unfoldedSeries,
} from "../../../../store/records/result-hours.ts";
import type { Contract } from "./contract.ts";

const grid: Contract = {
  noun: "grid",
  keeps: {
    "a cell tells the history of its results and what was left out between them": async (on) => {
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
      const add = (run_id: string, at: number, status: "passed" | "failed" | "error", duration_ms: number) =>
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
          ...{ scenario_id, region: "a", last_run_id: "r3", last_run_at: 50, last_status: "failed" as const },
          ...{ history: '["passing","no_data","passing","failing"]', p50_ms: 100, p99_ms: 300 },
        },
      ]);
      expect(await runningCells(records, orgId)).toEqual([]);
      expect(await watchedChecks(records, orgId, 9)).toMatchObject([
        { id: check.id, slug: "shop", last_tick_at: 60 },
      ]);
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

const hours: Contract = {
  noun: "result-hours",
  keeps: {
    "results that count are found behind a result, in their order, those of one moment by their runs": async (
      on,
    ) => {
      const { records, orgId: org_id } = on;
      const scenario_id = await on.scenario(org_id, "shop");
      const of = { scenario_id, region: "a" };
      const add = (run_id: string, at: number, more: object = {}) =>
        insertAlertResult(records, {
          ...{ ...of, org_id, run_id, at, status: "passed", duration_ms: 1, kind: "run" },
          ...{ failure_signature: null, trace_id: null, healed: 0, ignored: null, ...more },
        });
      for (const [run_id, at] of [
        ["r1", 1],
        ["r2", 2],
        ["r3", 2],
        ["r4", 3],
      ] as const)
        await add(run_id, at);
      await add("ignored", 2, { ignored: "paused" });
      await add("drift", 2, { kind: "shadow" });
      await add("elsewhere", 2, { region: "b" });
      const found = async (after: { at: number; run_id: string } | null, limit = 9) =>
        (await resultsBehind(records, of, { after, until: 3, limit })).map(({ run_id }) => run_id);
      expect(await found(null)).toEqual(["r1", "r2", "r3", "r4"]);
      expect(await found({ at: 2, run_id: "r2" })).toEqual(["r3", "r4"]);
      expect(await found({ at: 2, run_id: "r2" }, 1)).toEqual(["r3"]);
    },
    "a series moves on from where it was read alone, and is asked for while results wait": async (on) => {
      const { records, orgId: org_id } = on;
      const of = { scenario_id: await on.scenario(org_id, "shop"), region: "a" };
      const result = { ...of, org_id, duration_ms: 1, status: "passed" as const, kind: "run" as const };
      const rest = { failure_signature: null, trace_id: null, healed: 0, ignored: null };
      const write = <Result>(work: (trx: Trx) => Promise<Result>) => records.transaction().execute(work);
      await write(async (trx) => {
        for (const at of [1, 2]) await insertAlertResult(trx, { ...result, ...rest, run_id: `r${at}`, at });
        await drawCell(trx, { ...of, org_id });
      });
      const fold = (at: number) => ({ ...of, org_id, run_id: `r${at}`, at, status: "passed" as const });
      expect(await unfoldedSeries(records, 0, 9)).toEqual([]);
      expect(await unfoldedSeries(records, 2, 9)).toEqual([{ ...of, org_id }]);
      expect(await write((trx) => moveFold(trx, fold(1), null))).toBe(true);
      expect(await write((trx) => moveFold(trx, fold(1), null))).toBe(false);
      expect(await unfoldedSeries(records, 2, 9)).toEqual([{ ...of, org_id }]);
      expect(await write((trx) => moveFold(trx, fold(2), fold(1)))).toBe(true);
      expect(await write((trx) => moveFold(trx, fold(2), fold(1)))).toBe(false);
      expect(await unfoldedSeries(records, 2, 9)).toEqual([]);
      expect(await foldOf(records, of)).toEqual(fold(2));
    },
    "hours are written anew, read in their order, and forgotten by their age": async (on) => {
      const { records, orgId: org_id } = on;
      const of = { scenario_id: await on.scenario(org_id, "shop"), region: "a" };
      const row = (hour: number, up_ms = 1) => ({
        ...{ ...of, org_id, hour, up_ms, down_ms: 0, maintenance_ms: 0, passed: 1, failed: 0, errors: 0 },
        durations: "{}",
      });
      for (const one of [row(20), row(10), row(30), row(20, 7)])
        await records.transaction().execute((trx) => putHour(trx, one));
      expect(await hoursOf(records, of, 20)).toEqual([row(20, 7), row(30)]);
      expect(await pruneHours(records, 30, 1)).toBe(1);
      expect(await hoursOf(records, of, 0)).toEqual([row(20, 7), row(30)]);
      expect(await pruneHours(records, 30, 9)).toBe(1);
      expect(await hoursOf(records, of, 0)).toEqual([row(30)]);
    },
  },
};

export const GRID: Contract[] = [grid, hours];
