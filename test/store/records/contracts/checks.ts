import { expect } from "bun:test";
import { recordAudit } from "../../../../store/records/audit.ts";
import { pruneRests, restsOf } from "../../../../store/records/check-rests.ts";
import { findSlo, setSlo } from "../../../../store/records/check-slos.ts";
import {
  admitRuns,
  advanceChecks,
  checksAhead,
  dueChecks,
  forgetSkippedAfter,
  hasOpenShadowDiff,
  insertTickRuns,
  markRun,
  nextTickAt,
  noteSkipped,
  openRunsOf,
  orgsWithWaitingRuns,
  pruneSkipped,
  pullCheckBack,
  scenariosOf,
  type TickRun,
} from "../../../../store/records/check-ticks.ts";
import {
  type CheckRow,
  changeCheck,
  findCheck,
  findCheckOfFile,
  hasPreflight,
  insertCheck,
  listChecks,
  PREFLIGHT,
  removeCheck,
  runsOfCheck,
  skippedTicksOf,
} from "../../../../store/records/checks.ts";
import { deploymentsOf, putDeployment } from "../../../../store/records/deployments.ts";
import {
  changeMaintenance,
  findMaintenance,
  insertMaintenance,
  maintenanceOf,
  removeMaintenance,
} from "../../../../store/records/maintenance.ts";
import { changeRun } from "../../../../store/records/runs.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

async function check(on: FillableRecords, more: Partial<CheckRow> = {}): Promise<string> {
  const id = on.ids.uuid();
  const { org_id = on.orgId } = more;
  const row: CheckRow = {
    ...{ id, org_id, scenario_id: await on.scenario(org_id, "checkout"), origin: "api" },
    ...{ cron: "*/5 * * * *", timezone: "UTC", regions: '["us-east-1"]', shadow_prod: 0 },
    ...{ alert_policy: "{}", enabled: 1, paused_at: null, paused_until: null, paused_by: null },
    ...{ next_run_at: 300_000, last_run_at: null, last_tick_at: null, counts_from: 1 },
    ...{ created_at: 1, updated_at: 1 },
    ...more,
  };
  expect(await insertCheck(on.records, row, 100)).toBe(true);
  return id;
}

async function tickRun(on: FillableRecords, checkId: string, more: Partial<TickRun> = {}): Promise<TickRun> {
  const { org_id = on.orgId } = more;
  return {
    ...{ id: on.ids.uuid(), org_id, type: "schedule", status: "queued", region: "us-east-1" },
    ...{ base_url: "http://127.0.0.1:1", scenario_id: await on.scenario(org_id, "checkout") },
    ...{ scenario_slug: "checkout", trigger: "schedule", plan: "{}", scheduled_at: 300_000 },
    ...{ check_id: checkId, attempt: 1, ...more },
  };
}

const checks: Contract = {
  noun: "checks",
  keeps: {
    "they are listed newest first, by their scenario and by whether they are on; an org has so many": async (
      on,
    ) => {
      const first = await check(on);
      const second = await check(on, {
        enabled: 0,
        next_run_at: null,
        scenario_id: await on.scenario(on.orgId, "pay"),
      });
      await check(on, { org_id: await on.org("other") });
      const list = async (more: object) =>
        (await listChecks(on.records, { orgId: on.orgId, limit: 9, ...more })).map(({ id }) => id);
      expect(await list({})).toEqual([second, first]);
      expect(await list({ limit: 1 })).toEqual([second]);
      expect(await list({ after: second })).toEqual([first]);
      expect(await list({ isEnabled: true })).toEqual([first]);
      expect(await list({ scenarioId: await on.scenario(on.orgId, "pay") })).toEqual([second]);
      const row = (await findCheck(on.records, first))!;
      expect(await insertCheck(on.records, { ...row, id: on.ids.uuid() }, 2)).toBe(false);
    },
    "a scenario has one check of its file and as many others as people make": async (on) => {
      const scenarioId = await on.scenario(on.orgId, "checkout");
      await check(on);
      await check(on);
      expect(await findCheckOfFile(on.records, scenarioId)).toBeNull();
      const id = await check(on, { origin: "file" });
      const row = (await findCheck(on.records, id))!;
      expect(await insertCheck(on.records, { ...row, id: on.ids.uuid() }, 100)).toBe(false);
      expect(await findCheckOfFile(on.records, scenarioId)).toMatchObject({ id });
    },
    "what changes of a check is what is named, and a check that is gone changes no more": async (on) => {
      const id = await check(on);
      expect(await changeCheck(on.records, id, { cron: "* * * * *", paused_until: 9 })).toBe(true);
      expect(await findCheck(on.records, id)).toMatchObject({
        cron: "* * * * *",
        paused_until: 9,
        timezone: "UTC",
      });
      expect(await removeCheck(on.records, id)).toBe(true);
      expect(await removeCheck(on.records, id)).toBe(false);
      expect(await changeCheck(on.records, id, { cron: "0 * * * *" })).toBe(false);
      expect(await findCheck(on.records, id)).toBeNull();
    },
    "a scenario's preflight is known by its entry of the audit log": async (on) => {
      const scenarioId = await on.scenario(on.orgId, "checkout");
      const entry = {
        orgId: on.orgId,
        at: 1,
        actor: { type: "user", id: "u" },
        target: scenarioId,
        ip: null,
      };
      const record = (action: string, orgId = on.orgId) =>
        on.records.transaction().execute((trx) => recordAudit(trx, { ...entry, action, orgId }));
      await record("run.manual");
      await record(PREFLIGHT, await on.org("other"));
      expect(await hasPreflight(on.records, on.orgId, scenarioId)).toBe(false);
      await record(PREFLIGHT);
      expect(await hasPreflight(on.records, on.orgId, scenarioId)).toBe(true);
    },
  },
};

const ticks: Contract = {
  noun: "check-ticks",
  keeps: {
    "a check is due when its fire has come; one that is off never is": async (on) => {
      const late = await check(on, { next_run_at: 100 });
      const due = await check(on, { next_run_at: 200 });
      await check(on, { next_run_at: 201 });
      await check(on, { next_run_at: null, enabled: 0 });
      const found = await dueChecks(on.records, 200, 9);
      expect(found.map(({ id }) => id)).toEqual([late, due]);
      const scenario = await on.scenario(on.orgId, "checkout");
      expect((await scenariosOf(on.records, [scenario, scenario, "none"])).get(scenario)).toMatchObject({
        slug: "checkout",
        compiled: null,
      });
      expect(await dueChecks(on.records, 200, 1)).toHaveLength(1);
      expect(await nextTickAt(on.records)).toBe(100);
    },
    "whoever moves a check on second does not": async (on) => {
      const id = await check(on, { next_run_at: 100 });
      const other = await check(on, { next_run_at: 150 });
      const step = { ids: [id, other], from: 100, next: 200, tick: 100 };
      expect(await advanceChecks(on.records, step)).toEqual([id]);
      expect(await advanceChecks(on.records, step)).toEqual([]);
      await markRun(on.records, [id], 100);
      expect(await findCheck(on.records, id)).toMatchObject({
        next_run_at: 200,
        last_tick_at: 100,
        last_run_at: 100,
      });
    },
    "a fire has one run per region and attempt, also after its check is gone": async (on) => {
      const id = await check(on);
      const first = await tickRun(on, id);
      const again = await tickRun(on, id);
      const elsewhere = await tickRun(on, id, { region: "eu-west-1" });
      const retry = await tickRun(on, id, { attempt: 2 });
      const inserted = await insertTickRuns(on.records, [first, again, elsewhere, retry]);
      expect(inserted.map((run) => run.id)).toEqual([first.id, elsewhere.id, retry.id]);
      await removeCheck(on.records, id);
      expect(await insertTickRuns(on.records, [again])).toEqual([]);
      expect(await openRunsOf(on.records, [id])).toHaveLength(3);
      await changeRun(on.records, first.id, ["queued"], { status: "passed" });
      await changeRun(on.records, retry.id, ["queued"], { status: "running" });
      const newest = await runsOfCheck(on.records, { checkId: id, region: "us-east-1" }, 9);
      expect(newest.map((run) => [run.id, run.attempt])).toEqual([
        [retry.id, 2],
        [first.id, 1],
      ]);
      expect((await openRunsOf(on.records, [id])).map(({ region }) => region).sort()).toEqual([
        "eu-west-1",
        "us-east-1",
      ]);
    },
    "fires left out for one reason, one after the other, are one row": async (on) => {
      const id = await check(on);
      const skip = { check_id: id, region: "us-east-1", reason: "missed" as const, ticks: 1 };
      const note = (first_at: number, before: number | null, more: object = {}) =>
        noteSkipped(on.records, { ...skip, first_at, last_at: first_at, before, ...more });
      await note(100, null, { last_at: 300, ticks: 3 });
      await note(400, 300);
      await note(400, 300, { reason: "overlap" });
      await note(500, 400, { reason: "overlap" });
      await note(900, 800, { reason: "overlap" });
      await note(900, 800, { reason: "missed" });
      const spans = async (from = 0) =>
        (await skippedTicksOf(on.records, [id], from)).map(({ reason, first_at, last_at, ticks }) => [
          reason,
          first_at,
          last_at,
          ticks,
        ]);
      expect(await spans()).toEqual([
        ["missed", 100, 400, 4],
        ["overlap", 400, 500, 2],
        ["overlap", 900, 900, 1],
      ]);
      expect(await spans(401)).toHaveLength(2);
      await forgetSkippedAfter(on.records, 899);
      expect(await spans()).toHaveLength(2);
      await pruneSkipped(on.records, 500);
      expect(await spans()).toEqual([["overlap", 400, 500, 2]]);
    },
    "a fire that lies too far ahead is put nearer, never farther, and not that of a pause": async (on) => {
      const id = await check(on, { next_run_at: 900 });
      await check(on, { next_run_at: 900, paused_until: 800 });
      const over = await check(on, { next_run_at: 900, paused_until: 100 });
      const ahead = await checksAhead(on.records, { now: 100, after: null, limit: 9 });
      expect(ahead.map((row) => row.id)).toEqual([id, over]);
      expect(await checksAhead(on.records, { now: 100, after: id, limit: 9 })).toHaveLength(1);
      expect(await checksAhead(on.records, { now: 900, after: null, limit: 9 })).toEqual([]);
      expect(await pullCheckBack(on.records, { id, from: 900, next: 200 })).toBe(true);
      expect(await pullCheckBack(on.records, { id, from: 900, next: 100 })).toBe(false);
      expect(await pullCheckBack(on.records, { id, from: 200, next: 300 })).toBe(false);
    },
    "a comparison of clones with production is open until its runs have ended": async (on) => {
      const scenarioId = await on.scenario(on.orgId, "checkout");
      const isOpen = () => hasOpenShadowDiff(on.records, { orgId: on.orgId, scenarioId });
      const run = await tickRun(on, await check(on), { type: "shadow_diff" });
      expect(await isOpen()).toBe(false);
      await insertTickRuns(on.records, [run]);
      expect(await isOpen()).toBe(true);
      await changeRun(on.records, run.id, ["queued"], { status: "passed" });
      expect(await isOpen()).toBe(false);
    },
    "an org's places go to the runs that wait longest, and come free when a run ends": async (on) => {
      const other = await on.org("other");
      const id = await check(on);
      const runs = [3, 1, 2].map((at) => tickRun(on, id, { scheduled_at: at }));
      const [third, first, second] = await Promise.all(runs);
      const foreign = await tickRun(on, await check(on, { org_id: other }), { org_id: other });
      await insertTickRuns(on.records, [third!, first!, second!, foreign]);
      expect((await orgsWithWaitingRuns(on.records)).sort()).toEqual([on.orgId, other].sort());
      const admit = () => admitRuns(on.records, { orgId: on.orgId, most: 2, now: 7 });
      expect((await admit()).sort()).toEqual([first!.id, second!.id].sort());
      expect(await admit()).toEqual([]);
      await changeRun(on.records, first!.id, ["queued"], { status: "running" });
      expect(await admit()).toEqual([]);
      await changeRun(on.records, first!.id, ["running"], { status: "failed" });
      expect(await admit()).toEqual([third!.id]);
      expect(await orgsWithWaitingRuns(on.records)).toEqual([other]);
    },
  },
};

const maintenance: Contract = {
  noun: "maintenance",
  keeps: {
    "an org's windows come in the order they were made, and an org has so many": async (on) => {
      const row = {
        ...{ org_id: on.orgId, name: "Deploys", timezone: "UTC", starts_at: null, cron: "0 2 * * 0" },
        ...{ duration_minutes: 30, scenario_ids: null, created_at: 1, updated_at: 1 },
      };
      const [a, b] = [on.ids.uuid(), on.ids.uuid()];
      expect(await insertMaintenance(on.records, { ...row, id: a }, 2)).toBe(true);
      expect(await insertMaintenance(on.records, { ...row, id: b }, 2)).toBe(true);
      expect(await insertMaintenance(on.records, { ...row, id: on.ids.uuid() }, 2)).toBe(false);
      expect(
        await changeMaintenance(on.records, a, { cron: null, starts_at: "2026-11-24T02:00", updated_at: 2 }),
      ).toBe(true);
      const windows = await maintenanceOf(on.records, on.orgId);
      expect(windows.map(({ id, cron }) => [id, cron])).toEqual([
        [a, null],
        [b, "0 2 * * 0"],
      ]);
      expect(await removeMaintenance(on.records, a)).toBe(true);
      expect(await removeMaintenance(on.records, a)).toBe(false);
      expect(await findMaintenance(on.records, a)).toBeNull();
    },
  },
};

const rests: Contract = {
  noun: "check-rests",
  keeps: {
    "a check rests while it is off or paused, and what is made longer stays one rest": async (on) => {
      const { records } = on;
      const id = await check(on, { enabled: 0, created_at: 10 });
      const told = async (from = 0) =>
        (await restsOf(records, [id], from)).map(({ from_at, until_at }) => [from_at, until_at]);
      expect(await told()).toEqual([[10, null]]);
      await changeCheck(records, id, { enabled: 1, updated_at: 20 });
      expect(await told()).toEqual([[10, 20]]);
      await changeCheck(records, id, { cron: "* * * * *", updated_at: 25 });
      await changeCheck(records, id, { paused_until: 40, updated_at: 30 });
      await changeCheck(records, id, { paused_until: 60, updated_at: 35 });
      expect(await told()).toEqual([
        [10, 20],
        [30, 60],
      ]);
      await changeCheck(records, id, { paused_until: null, updated_at: 50 });
      expect(await told()).toEqual([
        [10, 20],
        [30, 50],
      ]);
      await changeCheck(records, id, { paused_until: 70, updated_at: 60 });
      await changeCheck(records, id, { enabled: 0, updated_at: 80 });
      expect(await told(50)).toEqual([
        [60, 70],
        [80, null],
      ]);
      await pruneRests(records, 60);
      expect(await told()).toEqual([
        [60, 70],
        [80, null],
      ]);
      await removeCheck(records, id);
      expect(await told()).toEqual([]);
    },
  },
};

const slos: Contract = {
  noun: "check-slos",
  keeps: {
    "a check has one promise at most, and loses it with itself": async (on) => {
      const { records } = on;
      const id = await check(on);
      expect(await findSlo(records, id)).toBeNull();
      await setSlo(records, id, { target_percent: 99.95, window_days: 28 });
      await setSlo(records, id, { target_percent: 99, window_days: 7 });
      expect(await findSlo(records, id)).toEqual({ target_percent: 99, window_days: 7 });
      await setSlo(records, id, null);
      expect(await findSlo(records, id)).toBeNull();
      await setSlo(records, id, { target_percent: 99, window_days: 7 });
      await removeCheck(records, id);
      expect(await findSlo(records, id)).toBeNull();
    },
  },
};

const deployments: Contract = {
  noun: "deployments",
  keeps: {
    "an address has one commit, what was said last; an org has so many addresses": async (on) => {
      const row = (origin: string, commit_sha: string, org_id = on.orgId) => ({
        org_id,
        origin,
        commit_sha,
        deployed_at: 1,
      });
      const put = (one: ReturnType<typeof row>) =>
        on.records.transaction().execute((trx) => putDeployment(trx, one, 2));
      const other = await on.org("other");
      for (const one of [
        row("https://a", "1"),
        row("https://b", "2"),
        row("https://a", "3"),
        row("https://a", "4", other),
      ])
        expect(await put(one)).toBe(true);
      expect(await put(row("https://c", "5"))).toBe(false);
      const found = (await deploymentsOf(on.records, [on.orgId])).map(({ origin, commit_sha }) => [
        origin,
        commit_sha,
      ]);
      expect(found).toEqual([
        ["https://a", "3"],
        ["https://b", "2"],
      ]);
      expect(await deploymentsOf(on.records, [on.orgId, other])).toHaveLength(3);
    },
  },
};

export const CHECKS = [checks, ticks, rests, slos, deployments, maintenance];
