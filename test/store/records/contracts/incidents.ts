import { expect } from "bun:test";
import {
  type AlertResultRow,
  closeSelfAlert,
  closeStaleSelfAlerts,
  countRunError,
  forgetRunErrors,
  hasStaleSelfAlerts,
  insertAlertResult,
  markErrorsTold,
  openSelfAlert,
  pruneAlertResults,
  recentResults,
  resultsOfRuns,
  resultsOfScenario,
  runErrorsOf,
  unwatchedRunErrors,
} from "../../../../store/records/alert-results.ts";
import { insertCheck } from "../../../../store/records/checks.ts";
import {
  addTimeline,
  changeIncident,
  childrenOf,
  findIncident,
  firedOf,
  type IncidentRow,
  insertIncident,
  lastResolvedAt,
  listIncidents,
  pruneIncidents,
  timelineOf,
  unresolvedOf,
  unwatchedIncidents,
} from "../../../../store/records/incidents.ts";
import {
  handOn,
  hasten,
  insertNotice,
  insertNoticeOnce,
  noticesOf,
  postpone,
  pruneLoneNotices,
  supersede,
  waitingNotices,
} from "../../../../store/records/notices.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

async function result(on: FillableRecords, run_id: string, at: number, more: Partial<AlertResultRow> = {}) {
  const row: AlertResultRow = {
    ...{ run_id, org_id: on.orgId, scenario_id: await on.scenario(on.orgId, "shop"), region: "a", at },
    ...{ kind: "run", status: "failed", duration_ms: 5, failure_signature: null, trace_id: null },
    ...{ healed: 0, ignored: null, ...more },
  };
  return insertAlertResult(on.records, row);
}

const ids = (rows: { run_id: string }[]): string => rows.map(({ run_id }) => run_id).join("");

const results: Contract = {
  noun: "alert-results",
  keeps: {
    "a run has one result; the newest of a series are those of a window, and before it as many as are asked for":
      async (on) => {
        const { records } = on;
        expect([await result(on, "a", 10), await result(on, "a", 11)]).toEqual([true, false]);
        await result(on, "c", 30);
        await result(on, "b", 20);
        await result(on, "x", 25, { status: "error" });
        await result(on, "y", 26, { ignored: "paused" });
        await result(on, "z", 27, { region: "b" });
        const scenarioId = await on.scenario(on.orgId, "shop");
        const of = { scenarioId, region: "a", after: 0, limit: 9 };
        expect(ids(await recentResults(records, { ...of, from: 15, tail: 1 }))).toBe("bc");
        expect(ids(await recentResults(records, { ...of, from: 30, tail: 2 }))).toBe("bc");
        expect(ids(await recentResults(records, { ...of, from: 30, tail: 9 }))).toBe("abc");
        expect(ids(await recentResults(records, { ...of, from: 0, tail: 9, after: 20 }))).toBe("c");
        const all = { scenarioId, regions: ["a", "b"], from: 20, limit: 9 };
        expect(ids(await resultsOfScenario(records, all))).toBe("cbz");
        expect(ids(await resultsOfRuns(records, ["c", "a", "none"]))).toBe("ac");
        expect(await resultsOfRuns(records, [])).toEqual([]);
        expect(await pruneAlertResults(records, 21, 9)).toBe(2);
      },
    "errors are counted in a row, and an org is told of them once, and of others a while later": async (
      on,
    ) => {
      const { records, orgId } = on;
      const scenario_id = await on.scenario(orgId, "shop");
      const row = { scenario_id, region: "a", org_id: orgId, last_run_id: "r" };
      expect(await countRunError(records, row)).toEqual({ errors: 1, told_at: null });
      expect(await countRunError(records, row)).toEqual({ errors: 2, told_at: null });
      expect([
        await markErrorsTold(records, orgId, 3, 7),
        await markErrorsTold(records, orgId, 2, 7),
      ]).toEqual([0, 1]);
      expect(await markErrorsTold(records, orgId, 2, 8)).toBe(0);
      expect(await countRunError(records, row)).toEqual({ errors: 3, told_at: 7 });
      expect(await runErrorsOf(records, orgId, 4)).toEqual([]);
      expect(await runErrorsOf(records, orgId, 3)).toMatchObject([{ region: "a", errors: 3 }]);
      const told = (opened_at: number) =>
        openSelfAlert(records, { org_id: orgId, opened_at, run_id: "r" }, 10);
      expect([await told(50), await told(50), await told(59), await told(60), await told(69)]).toEqual([
        true,
        false,
        false,
        true,
        false,
      ]);
      // The clock went back.
      expect([await told(20), await told(21)]).toEqual([true, false]);
      await closeSelfAlert(records, orgId);
      expect(await told(22)).toBe(true);
      expect([
        await forgetRunErrors(records, scenario_id, "a"),
        await forgetRunErrors(records, scenario_id, "a"),
      ]).toEqual([true, false]);
    },
    "errors are stale where no check that is on makes runs, and an org's alert where none is left": async (
      on,
    ) => {
      const { records, orgId } = on;
      const of = { scenario_id: await on.scenario(orgId, "shop"), org_id: orgId, last_run_id: "r" };
      for (const region of ["a", "b"]) await countRunError(records, { ...of, region });
      await openSelfAlert(records, { org_id: orgId, opened_at: 5, run_id: "r" }, 10);
      const stale = async () => (await unwatchedRunErrors(records, 9)).map(({ region }) => region);
      expect(await stale()).toEqual(["a", "b"]);
      await check(on, '["a"]', 0);
      await check(on, '["b","c"]', 1);
      expect(await stale()).toEqual(["a"]);
      expect([await hasStaleSelfAlerts(records, 1), await hasStaleSelfAlerts(records, 2)]).toEqual([
        false,
        true,
      ]);
      await closeStaleSelfAlerts(records, 1);
      expect(await hasStaleSelfAlerts(records, 2)).toBe(true);
      await closeStaleSelfAlerts(records, 2);
      expect(await hasStaleSelfAlerts(records, 2)).toBe(false);
    },
  },
};

/** A check of the shop, in regions as JSON. */
async function check(on: FillableRecords, regions: string, enabled: 0 | 1): Promise<void> {
  await insertCheck(
    on.records,
    {
      ...{ id: on.ids.uuid(), org_id: on.orgId, scenario_id: await on.scenario(on.orgId, "shop"), regions },
      ...{ origin: "api", cron: "* * * * *", timezone: "UTC", shadow_prod: 0, alert_policy: "{}", enabled },
      ...{ paused_at: null, paused_until: null, paused_by: null, next_run_at: null, last_run_at: null },
      ...{ last_tick_at: null, counts_from: 0, created_at: 1, updated_at: 1 },
    },
    9,
  );
}

/** An incident that goes on, but for what is said; its id. */
export async function incident(on: FillableRecords, more: Partial<IncidentRow> = {}): Promise<string> {
  const id = on.ids.uuid();
  await insertIncident(on.records, {
    ...{ id, org_id: on.orgId, scenario_id: await on.scenario(on.orgId, "shop"), region: "a" },
    ...{ type: "failure_rate", status: "open", severity: "error", rules: "[]", policy: "{}" },
    ...{ opened_at: 1, failing_at: 1, acknowledged_at: null, acknowledged_by: null, suppressed_until: null },
    ...{ suppress_reason: null, resolved_at: null, parent_incident_id: null },
    ...{ failure_signature: null, last_run_id: "r", trace_id: null, ...more },
  });
  return id;
}

const incidents: Contract = {
  noun: "incidents",
  keeps: {
    "one of a scenario and region has not ended, and one outage beside it; ended ones are as many as come":
      async (on) => {
        const { records } = on;
        const first = await incident(on);
        await expect(incident(on)).rejects.toThrow();
        const outage = await incident(on, { type: "global_outage", region: "a" });
        await expect(incident(on, { type: "global_outage", region: "global" })).rejects.toThrow();
        const child = await incident(on, { region: "b", parent_incident_id: outage, opened_at: 0 });
        const scenarioId = await on.scenario(on.orgId, "shop");
        expect((await unresolvedOf(records, scenarioId)).map(({ id }) => id)).toEqual([child, first, outage]);
        expect((await childrenOf(records, outage)).map(({ id }) => id)).toEqual([child]);
        const ended = { status: "resolved", resolved_at: 7 } as const;
        expect(await changeIncident(records, first, ended)).toBe(true);
        expect(await changeIncident(records, first, { resolved_at: 8 })).toBe(false);
        expect(await lastResolvedAt(records, scenarioId, "a")).toBe(7);
        expect(await lastResolvedAt(records, scenarioId, "b")).toBeNull();
        const second = await incident(on);
        const list = async (more: object) =>
          (await listIncidents(records, { orgId: on.orgId, limit: 9, ...more })).map(({ id }) => id);
        expect(await list({})).toEqual([second, child, outage, first]);
        expect(await list({ status: "resolved" })).toEqual([first]);
        expect(await list({ type: "global_outage", scenarioId })).toEqual([outage]);
        expect(await list({ after: child })).toEqual([outage, first]);
        expect(await pruneIncidents(records, 8, 9)).toBe(1);
        expect(await findIncident(records, first)).toBeNull();
      },
    "a timeline keeps its order, and of a long one the end is shown": async (on) => {
      const id = await incident(on);
      const entry = { incident_id: id, at: 1, kind: "opened", actor: null, run_id: null, samples: "[]" };
      for (const text of ["one", "two", "three"]) await addTimeline(on.records, { ...entry, text });
      expect((await timelineOf(on.records, id, 2)).map(({ text, seq }) => `${seq} ${text}`)).toEqual([
        "1 two",
        "2 three",
      ]);
      for (const kind of ["healed", "rule"])
        await addTimeline(on.records, { ...entry, incident_id: id, kind, text: kind });
      const fired = (await firedOf(on.records, id)).map(({ text }) => text);
      expect(fired).toEqual(["one", "two", "three", "rule"]);
    },
    "is not watched where no check that is on has its scenario and region": async (on) => {
      const { records } = on;
      const [seen, left] = [await incident(on), await incident(on, { region: "b" })];
      const unwatched = async () => (await unwatchedIncidents(records, 9)).map(({ id }) => id);
      expect(await unwatched()).toEqual([seen, left]);
      await check(on, '["b"]', 0);
      await check(on, '["a","c"]', 1);
      expect(await unwatched()).toEqual([left]);
    },
  },
};

const notices: Contract = {
  noun: "notices",
  keeps: {
    "of no incident are removed by their age, once they were told or taken back": async (on) => {
      const { records, orgId } = on;
      const row = {
        ...{ org_id: orgId, event: "gate.failed", incident_id: null, scenario_id: null, region: null },
        ...{
          run_id: null,
          failure_signature: null,
          trace_id: null,
          channels: null,
          due_at: 1,
          reason: "now",
        },
      };
      for (const id of ["told", "back", "waits"]) await insertNotice(records, { ...row, id, created_at: 1 });
      await insertNotice(records, { ...row, id: "of it", created_at: 1, incident_id: await incident(on) });
      for (const id of ["told", "of it"]) await handOn(records, id, 2);
      await supersede(records, "back", 2, "over");
      expect(await pruneLoneNotices(records, 1, 9)).toBe(0);
      expect([await pruneLoneNotices(records, 2, 1), await pruneLoneNotices(records, 2, 9)]).toEqual([1, 1]);
      expect((await waitingNotices(records, 9, 9)).map(({ id }) => id)).toEqual(["waits"]);
    },
    "wait until they are due, and are taken, put off or taken back once": async (on) => {
      const { records, orgId } = on;
      const incident_id = await incident(on);
      const row = {
        ...{ org_id: orgId, event: "incident.opened", incident_id, scenario_id: null, region: "a" },
        ...{ run_id: null, failure_signature: null, trace_id: null, channels: null, created_at: 1 },
        reason: "now",
      };
      for (const [id, due_at] of [
        ["b", 20],
        ["a", 30],
        ["c", 10],
      ] as const)
        await insertNotice(records, { ...row, id, due_at });
      // What is told once is there.
      await insertNoticeOnce(records, { ...row, id: "c", due_at: 99, reason: "again" });
      const due = async (now: number) => (await waitingNotices(records, now, 9)).map(({ id }) => id).join("");
      expect([await due(9), await due(20), await due(99)]).toEqual(["", "cb", "cba"]);
      expect([await handOn(records, "c", 11), await handOn(records, "c", 12)]).toEqual([true, false]);
      expect(await supersede(records, "c", 13, "late")).toBe(false);
      expect([await supersede(records, "b", 13, "over"), await handOn(records, "b", 14)]).toEqual([
        true,
        false,
      ]);
      expect([await postpone(records, "a", 50, "later"), await due(49), await due(50)]).toEqual([
        true,
        "",
        "a",
      ]);
      expect((await noticesOf(records, incident_id)).map(({ id, reason }) => `${id} ${reason}`)).toEqual([
        ...["a later", "b now", "c now"],
      ]);
    },
    "that were put off are due again when they have waited for long enough, those of the org alone": async (
      on,
    ) => {
      const { records, orgId } = on;
      const incident_id = await incident(on);
      const row = {
        ...{ org_id: orgId, event: "incident.opened", incident_id, scenario_id: null, region: "a" },
        ...{ run_id: null, failure_signature: null, trace_id: null, channels: null, reason: "quiet" },
      };
      for (const [id, created_at, due_at] of [
        ["old", 1, 900],
        ["young", 95, 900],
        ["soon", 95, 104],
        ["told", 1, 900],
      ] as const)
        await insertNotice(records, { ...row, id, created_at, due_at });
      await insertNotice(records, { ...row, id: "own", created_at: 1, due_at: 900, incident_id: null });
      await handOn(records, "told", 50);
      await hasten(records, { orgId: "nobody", now: 100, least: 10, reason: "over" });
      expect(await waitingNotices(records, 103, 9)).toEqual([]);
      await hasten(records, { orgId, now: 100, least: 10, reason: "over" });
      expect(
        (await waitingNotices(records, 900, 9)).map(({ id, due_at, reason }) => `${id} ${due_at} ${reason}`),
      ).toEqual(["old 100 over", "soon 104 quiet", "young 105 over", "own 900 quiet"]);
    },
  },
};

export const INCIDENTS: Contract[] = [results, incidents, notices];
