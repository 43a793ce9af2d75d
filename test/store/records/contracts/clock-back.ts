import { expect } from "bun:test";
import { insertAlertResult, resultsOfRuns } from "../../../../store/records/alert-results.ts";
import { noteRest, restsOf } from "../../../../store/records/check-rests.ts";
import { findCheck, insertCheck } from "../../../../store/records/checks.ts";
import {
  cellsAhead,
  moveCountsBack,
  moveDeliveriesBack,
  moveHoursBack,
  moveIncidentsBack,
  moveNoticesBack,
  movePauseBack,
  moveRestsBack,
  moveResultsBack,
  pausesAhead,
} from "../../../../store/records/clock-back.ts";
import { cellsOf, drawCell } from "../../../../store/records/grid.ts";
import {
  addTimeline,
  findIncident,
  insertIncident,
  timelineOf,
} from "../../../../store/records/incidents.ts";
import { handOn, insertNotice, noticesOf } from "../../../../store/records/notices.ts";
import { foldOf, hoursOf, moveFold, putHour } from "../../../../store/records/result-hours.ts";
import { beginAttempt, insertDelivery, settleAttempt } from "../../../../store/records/webhook-deliveries.ts";
import type { Contract } from "./contract.ts";

const NOW = 1000;
const LATER = 9000;

const clockBack: Contract = {
  noun: "clock-back",
  keeps: {
    "what results came to lies no later than now, and what was before stays": async (on) => {
      const { records, orgId } = on;
      const of = { org_id: orgId, scenario_id: await on.scenario(orgId, "shop"), region: "a" };
      const rest = { failure_signature: null, trace_id: null, healed: 0, ignored: null, duration_ms: 5 };
      for (const [run_id, at] of [
        ["r1", 500],
        ["r2", LATER],
        ["r3", LATER + 1],
      ] as const)
        await insertAlertResult(records, { ...of, run_id, at, kind: "run", status: "passed", ...rest });
      await records.transaction().execute((trx) => drawCell(trx, of));
      const sums = {
        up_ms: 1,
        down_ms: 0,
        maintenance_ms: 0,
        passed: 1,
        failed: 0,
        errors: 0,
        durations: "{}",
      };
      await records.transaction().execute(async (trx) => {
        for (const hour of [0, LATER]) await putHour(trx, { ...of, hour, ...sums });
        await moveFold(trx, { ...of, run_id: "r2", at: LATER, status: "passed" }, null);
        expect(await moveResultsBack(trx, NOW)).toBe(false);
        await moveHoursBack(trx, NOW);
      });
      expect(
        (await resultsOfRuns(records, ["r1", "r2", "r3"])).map(({ run_id, at }) => [run_id, at]),
      ).toEqual([
        ["r1", 500],
        ["r2", NOW],
        ["r3", NOW],
      ]);
      expect((await hoursOf(records, of, 0)).map(({ hour }) => hour)).toEqual([0]);
      expect(await foldOf(records, of)).toMatchObject({ run_id: "r2", at: NOW });
      expect(await cellsAhead(records, NOW)).toEqual([of]);
      await records.transaction().execute((trx) => drawCell(trx, of));
      expect(await cellsAhead(records, NOW)).toEqual([]);
      expect(await cellsOf(records, orgId)).toMatchObject([{ last_run_id: "r3", last_run_at: NOW }]);
    },
    "incidents, what is told of them and what checks count from lie no later than now": async (on) => {
      const { records, orgId } = on;
      const scenario_id = await on.scenario(orgId, "shop");
      const incident = {
        ...({ org_id: orgId, scenario_id, type: "failure_rate", severity: "error", rules: "[]" } as const),
        ...{
          policy: "{}",
          acknowledged_by: null,
          suppressed_until: LATER,
          failing_at: LATER,
          suppress_reason: null,
        },
        ...{ parent_incident_id: null, failure_signature: null, last_run_id: "r", trace_id: null },
      };
      const ahead = {
        status: "resolved",
        opened_at: LATER,
        acknowledged_at: LATER,
        resolved_at: LATER,
      } as const;
      const before = { status: "open", opened_at: 5, acknowledged_at: null, resolved_at: null } as const;
      await insertIncident(records, { ...incident, id: "x", region: "a", ...ahead });
      await insertIncident(records, { ...incident, id: "y", region: "b", ...before });
      const entry = { incident_id: "x", kind: "opened", text: "", actor: null, run_id: null, samples: "[]" };
      for (const at of [5, LATER]) await addTimeline(records, { ...entry, at });
      const notice = {
        ...{
          org_id: orgId,
          event: "incident.opened",
          incident_id: "x",
          scenario_id,
          region: "a",
          run_id: null,
        },
        ...{ failure_signature: null, trace_id: null, channels: null, reason: "" },
      };
      await insertNotice(records, { ...notice, id: "n1", created_at: 1, due_at: NOW + 30 });
      await insertNotice(records, { ...notice, id: "n2", created_at: LATER, due_at: LATER + 30 });
      await insertNotice(records, { ...notice, id: "n3", created_at: LATER, due_at: LATER });
      await handOn(records, "n3", LATER);
      const check = {
        ...{ org_id: orgId, scenario_id, origin: "api" as const, cron: "* * * * *", timezone: "UTC" },
        ...{ regions: "[]", shadow_prod: 0, alert_policy: "{}", enabled: 1, paused_at: null },
        ...{ paused_until: null, paused_by: null, next_run_at: null, last_run_at: null, last_tick_at: null },
        ...{ created_at: 1, updated_at: 1 },
      };
      const [late, early] = [on.ids.uuid(), on.ids.uuid()];
      await insertCheck(records, { ...check, id: late, counts_from: LATER }, 9);
      await insertCheck(records, { ...check, id: early, counts_from: 7 }, 9);
      await records.transaction().execute(async (trx) => {
        await moveIncidentsBack(trx, NOW);
        await moveNoticesBack(trx, NOW, 60);
        await moveCountsBack(trx, NOW);
      });
      const moved = { opened_at: NOW, failing_at: NOW, acknowledged_at: NOW, resolved_at: NOW };
      expect(await findIncident(records, "x")).toMatchObject({ ...moved, status: "resolved" });
      expect(await findIncident(records, "y")).toMatchObject(before);
      expect((await timelineOf(records, "x", 9)).map(({ at }) => at)).toEqual([5, NOW]);
      expect(await noticesOf(records, "x")).toMatchObject([
        { id: "n1", created_at: 1, due_at: NOW + 30 },
        { id: "n2", created_at: NOW, due_at: NOW + 60 },
        { id: "n3", created_at: NOW, handed_on_at: NOW },
      ]);
      expect((await findCheck(records, late))!.counts_from).toBe(NOW);
      expect((await findCheck(records, early))!.counts_from).toBe(7);
    },
    "pauses and suppressions that were set later than now last as long from now, and rests are those of the checks":
      async (on) => {
        const { records, orgId } = on;
        const scenario_id = await on.scenario(orgId, "shop");
        const check = {
          ...{ org_id: orgId, scenario_id, origin: "api" as const, cron: "* * * * *", timezone: "UTC" },
          ...{ regions: "[]", shadow_prod: 0, alert_policy: "{}", counts_from: 0, last_run_at: null },
          ...{ paused_by: null, next_run_at: null, created_at: 1, updated_at: 1 },
        };
        const put = async (more: {
          enabled: number;
          paused_at: number | null;
          last_tick_at: number | null;
        }) => {
          const id = on.ids.uuid();
          const paused_until = more.paused_at === null ? null : more.paused_at + 50;
          await insertCheck(records, { ...check, ...more, id, paused_until }, 9);
          return id;
        };
        const ahead = await put({ enabled: 1, paused_at: LATER, last_tick_at: null });
        const over = await put({ enabled: 1, paused_at: LATER, last_tick_at: LATER + 50 });
        const before = await put({ enabled: 1, paused_at: NOW - 10, last_tick_at: null });
        const off = await put({ enabled: 0, paused_at: null, last_tick_at: null });
        const awake = await put({ enabled: 1, paused_at: null, last_tick_at: null });
        const pauses = await pausesAhead(records, NOW, 9);
        expect(pauses.map(({ id, at, until, isOver }) => [id, at, until, isOver]).sort()).toEqual(
          [
            [ahead, LATER, LATER + 50, false],
            [over, LATER, LATER + 50, true],
          ].sort(),
        );
        await noteRest(records, { checkId: ahead, at: LATER, until: LATER + 50 });
        await noteRest(records, { checkId: before, at: NOW - 10, until: NOW + 40 });
        await noteRest(records, { checkId: over, at: LATER, until: LATER + 50 });
        await noteRest(records, { checkId: awake, at: 5, until: LATER });
        await records.transaction().execute(async (trx) => {
          await movePauseBack(trx, { id: ahead, at: LATER }, { paused_at: NOW, paused_until: NOW + 50 });
          await movePauseBack(trx, { id: over, at: LATER }, { paused_at: null, paused_until: null });
          await movePauseBack(trx, { id: before, at: LATER }, { paused_at: null, paused_until: null });
          await moveRestsBack(trx, NOW);
        });
        expect(await findCheck(records, ahead)).toMatchObject({ paused_at: NOW, paused_until: NOW + 50 });
        expect(await findCheck(records, before)).toMatchObject({ paused_until: NOW + 40 });
        const rests = await restsOf(records, [ahead, over, before, off, awake], 0);
        expect(rests.map((rest) => [rest.check_id, rest.from_at, rest.until_at]).sort()).toEqual(
          [
            [awake, 5, NOW],
            [before, NOW - 10, NOW + 40],
            [ahead, NOW, NOW + 50],
            [off, 1, null],
          ].sort(),
        );

        const incident = {
          ...({ org_id: orgId, scenario_id, type: "failure_rate", severity: "error", rules: "[]" } as const),
          ...{ policy: "{}", acknowledged_by: null, acknowledged_at: null, resolved_at: null, opened_at: 5 },
          ...{ failing_at: 5, suppress_reason: "", parent_incident_id: null, failure_signature: null },
          ...{ last_run_id: "r", trace_id: null, suppressed_until: LATER + 50 },
          status: "suppressed",
        } as const;
        const entry = { kind: "suppressed", text: "", actor: null, run_id: null, samples: "[]" };
        for (const [id, times] of [
          ["then", [5, LATER]],
          ["earlier", [5]],
        ] as const) {
          await insertIncident(records, { ...incident, id, region: id });
          for (const at of times) await addTimeline(records, { ...entry, incident_id: id, at });
        }
        await records.transaction().execute((trx) => moveIncidentsBack(trx, NOW));
        expect(await findIncident(records, "then")).toMatchObject({ suppressed_until: NOW + 50 });
        expect(await findIncident(records, "earlier")).toMatchObject({ suppressed_until: LATER + 50 });
      },
    "messages wait from now on for as long as they were to wait, and those of before keep their time":
      async ({ records, orgId }) => {
        const message = {
          ...{ org_id: orgId, channel_id: "c", channel_type: "webhook", channel_name: "c", event: "test" },
          ...{ incident_id: null, facts: "{}" },
        };
        const put = (id: string, more: { created_at: number; next_attempt_at: number | null }) =>
          insertDelivery(records, { ...message, id, notice_id: id, ...more });
        await put("at once", { created_at: LATER, next_attempt_at: LATER });
        await put("before", { created_at: 1, next_attempt_at: LATER });
        await put("by mail", { created_at: LATER, next_attempt_at: null });
        await put("ended", { created_at: LATER, next_attempt_at: LATER });
        await put("tried", { created_at: 1, next_attempt_at: LATER });
        const over = {
          state: "delivered",
          next_attempt_at: null,
          last_error: null,
          ended_at: LATER,
        } as const;
        await settleAttempt(records, "ended", over);
        await beginAttempt(records, "tried", LATER);
        const later = {
          state: "pending",
          next_attempt_at: LATER + 30,
          last_error: "",
          ended_at: null,
        } as const;
        await settleAttempt(records, "tried", later);
        await records.transaction().execute((trx) => moveDeliveriesBack(trx, NOW));
        const times = ["id", "created_at", "last_attempt_at", "next_attempt_at"] as const;
        const rows = await records.selectFrom("webhook_deliveries").select(times).orderBy("id").execute();
        expect(rows.map((row) => times.map((column) => row[column]))).toEqual([
          ["at once", NOW, null, NOW],
          ["before", 1, null, LATER],
          ["by mail", NOW, null, null],
          ["ended", LATER, null, null],
          ["tried", 1, NOW, NOW + 30],
        ]);
      },
  },
};

export const CLOCK_BACK: Contract[] = [clockBack];
