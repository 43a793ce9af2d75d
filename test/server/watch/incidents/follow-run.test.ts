import { afterEach, describe, expect, test } from "bun:test";
import { settleRun } from "../../../../server/run/runs/settle.ts";
import type { IncidentAnswer } from "../../../../server/watch/incidents/model.ts";
import { dueNotices } from "../../../../server/watch/incidents/notices.ts";
import { endUnwatchedTask } from "../../../../server/watch/incidents/tasks.ts";
import { factsOf } from "../../../../server/watch/notices/facts.ts";
import { changeCheck } from "../../../../store/records/checks.ts";
import { noticesOf } from "../../../../store/records/notices.ts";
import { changeRun, listRuns } from "../../../../store/records/runs.ts";
import { insertShadowDiff } from "../../../../store/records/shadow-diffs.ts";
import { type AlertLab, alertLab } from "../../../helpers/alerts.ts";

const CLONES = 'clones: [{ service: payments, match: "https://api.payments.test/**" }]\n';

let lab: AlertLab;
afterEach(() => lab.app.close());

/** A comparison with production in the first region, a minute from now. */
async function compared(diffs: object[], trigger: "schedule" | "api" = "schedule"): Promise<void> {
  lab.app.clock.advance(60_000);
  const id = await lab.ended("P", undefined, { type: "shadow_diff", trigger, check_id: null });
  const result = JSON.stringify({ diffs });
  const ids = { run_id: id, production_run_id: id, repeated_run_id: id };
  await insertShadowDiff(lab.app.store.records, { ...ids, result });
  await lab.follow(id);
}

describe("the end of a run", () => {
  test("opens one incident after two failures, tells it half a minute later, and ends it after two passes", async () => {
    lab = await alertLab();
    await lab.run("PF");
    expect(await lab.incidents()).toEqual([]);
    await lab.run("F");
    expect(await lab.deliver()).toEqual([]);
    lab.app.clock.advance(30_000);
    expect(await lab.deliver()).toEqual(["incident.opened a"]);
    expect(await lab.deliver()).toEqual([]);
    await lab.run("FFP");
    expect(await lab.incidents()).toMatchObject([
      { status: "open", type: "consecutive_failures", region: "a" },
    ]);
    await lab.run("P");
    expect(await lab.incidents()).toMatchObject([{ status: "resolved" }]);
    expect(await lab.deliver()).toEqual(["incident.resolved a"]);
  });

  test("is decided on once, however often its job runs and whoever runs it", async () => {
    lab = await alertLab();
    await lab.run("F");
    lab.app.clock.advance(60_000);
    const id = await lab.ended("F");
    await Promise.all([lab.follow(id), lab.follow(id), lab.follow(id)]);
    await lab.follow(id);
    const [incident, ...others] = await lab.incidents();
    expect(others).toEqual([]);
    expect(await noticesOf(lab.app.store.records, incident!.id)).toHaveLength(1);
    expect((await lab.api<IncidentAnswer>(`/v1/incidents/${incident!.id}`)).body.timeline).toHaveLength(1);
  });

  test("counts in the order in which runs ended, whatever order they are heard of", async () => {
    lab = await alertLab();
    const early = await lab.ended("F");
    lab.app.clock.advance(60_000);
    const late = await lab.ended("F");
    await lab.follow(late);
    expect(await lab.incidents()).toEqual([]);
    await lab.follow(early);
    expect(await lab.incidents()).toMatchObject([{ last_run_id: late }]);
  });

  test("of an attempt that failed is no result while another may follow", async () => {
    lab = await alertLab({ policy: { retries: 1, consecutive_failures: 1 } });
    const first = await lab.ended("F");
    await lab.follow(first);
    expect(lab.retried).toEqual([first]);
    expect(await lab.incidents()).toEqual([]);
    await lab.follow(await lab.ended("F", "a", { attempt: 2 }));
    expect(await lab.incidents()).toHaveLength(1);
    expect(lab.retried).toEqual([first]);
  });

  test("is followed by the job that its end leaves: the next attempt, then the result of that", async () => {
    lab = await alertLab({ policy: { retries: 1, consecutive_failures: 1 } });
    const { deps, store, runJobs } = lab.app;
    const settled = async (id: string) => {
      await changeRun(store.records, id, ["failed"], { status: "running", ended_at: null });
      await settleRun(deps, { id }, { status: "failed", error: null }, true);
      await runJobs();
    };
    const first = await lab.ended("F");
    await settled(first);
    expect(await lab.incidents()).toEqual([]);
    const [second, ...others] = (await listRuns(store.records, { orgId: lab.app.orgId, limit: 9 })).filter(
      ({ id }) => id !== first,
    );
    expect([second, others]).toMatchObject([{ attempt: 2, trigger: "retry", parent_run_id: first }, []]);
    await changeRun(store.records, second!.id, ["queued"], { status: "failed" });
    await settled(second!.id);
    expect(await lab.incidents()).toMatchObject([{ last_run_id: second!.id }]);
  });

  test("is no failure where it is an error, or was cancelled; three errors in a row are told once", async () => {
    lab = await alertLab();
    await lab.run("FEEAFPP");
    expect(await lab.incidents()).toMatchObject([{ type: "consecutive_failures", status: "resolved" }]);
    expect(await lab.deliver()).toEqual([]);
    await lab.run("EEE");
    await lab.run("EEEE", "b");
    expect(await lab.deliver()).toEqual(["monitor.errors a"]);
    await lab.run("P");
    await lab.run("E", "b");
    expect(await lab.deliver()).toEqual([]);
    await lab.run("P", "b");
    await lab.run("EEE", "b");
    expect(await lab.deliver()).toEqual(["monitor.errors b"]);
  });

  test("in an error is told for each scenario, whatever else cannot be made by then, at most once an hour", async () => {
    lab = await alertLab();
    const other = await alertLab({ on: lab.app, slug: "blog" });
    await lab.run("EEE");
    expect(await lab.deliver()).toEqual(["monitor.errors a"]);
    await other.run("EEEE");
    await other.run("EEEE", "b");
    expect(await lab.deliver()).toEqual([]);
    lab.app.clock.advance(3_600_000);
    await lab.run("E");
    expect(await lab.deliver()).toEqual([]);
    await other.run("EE", "b");
    expect(await lab.deliver()).toEqual(["monitor.errors b"]);
    const { reason } = await lab.app.store.records
      .selectFrom("notices")
      .select("reason")
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    expect(reason).toContain("The same holds for 1 more");
    lab.app.clock.advance(7 * 24 * 3_600_000);
    await other.run("EEE");
    expect(await lab.deliver()).toEqual([]);
    await other.run("PEEE");
    expect(await lab.deliver()).toEqual(["monitor.errors a"]);
  });

  test("counts for nothing while its check is paused or off, and what came before it was on again is forgotten", async () => {
    lab = await alertLab();
    const { records } = lab.app.store;
    const now = lab.app.clock.now();
    await lab.run("F");
    await changeCheck(records, lab.check.id, { paused_at: now, paused_until: now + 3_600_000 });
    await lab.run("FF");
    await changeCheck(records, lab.check.id, { paused_until: null, counts_from: lab.app.clock.now() + 1 });
    await lab.run("F");
    expect(await lab.incidents()).toEqual([]);
    await changeCheck(records, lab.check.id, { enabled: 0 });
    await lab.run("FF");
    expect(await lab.incidents()).toEqual([]);
  });

  test("counts for nothing, and is not made again, where its check has left the region meanwhile", async () => {
    lab = await alertLab({ policy: { retries: 1, consecutive_failures: 1 } });
    const run = await lab.ended("F", "b");
    await changeCheck(lab.app.store.records, lab.check.id, { regions: '["a"]' });
    await lab.follow(run);
    expect([lab.retried, await lab.incidents()]).toEqual([[], []]);
  });

  test("is counted anew after a pause that ended by itself", async () => {
    lab = await alertLab();
    const { records } = lab.app.store;
    await lab.run("F");
    const now = lab.app.clock.now();
    await changeCheck(records, lab.check.id, { paused_at: now, paused_until: now + 150_000 });
    await lab.run("FF");
    expect(await lab.incidents()).toEqual([]);
    lab.app.clock.advance(60_000);
    await lab.run("F");
    expect(await lab.incidents()).toEqual([]);
    await lab.run("F");
    expect(await lab.incidents()).toHaveLength(1);
  });

  test("tells what was taken back for a pause at the next failure", async () => {
    lab = await alertLab();
    const { records } = lab.app.store;
    await lab.run("FF");
    const now = lab.app.clock.now();
    await changeCheck(records, lab.check.id, { paused_at: now, paused_until: now + 120_000 });
    lab.app.clock.advance(60_000);
    expect(await lab.deliver()).toEqual([]);
    lab.app.clock.advance(60_000);
    await lab.run("F");
    lab.app.clock.advance(30_000);
    expect(await lab.deliver()).toEqual(["incident.opened a"]);
  });

  test("that is slow tells what was taken back for a pause at the next slow run", async () => {
    lab = await alertLab({ policy: { latency_p99: { ms: 500, window_minutes: 60 } } });
    const { records } = lab.app.store;
    await lab.run("P".repeat(20));
    const now = lab.app.clock.now();
    await changeCheck(records, lab.check.id, { paused_at: now, paused_until: now + 120_000 });
    lab.app.clock.advance(60_000);
    expect(await lab.deliver()).toEqual([]);
    lab.app.clock.advance(60_000);
    await lab.run("P");
    lab.app.clock.advance(30_000);
    expect(await lab.deliver()).toEqual(["incident.opened a"]);
  });

  test("within maintenance is told when that ends, also when that comes after the failure", async () => {
    lab = await alertLab();
    await lab.run("FF");
    lab.quiet.until = lab.app.clock.now() + 600_000;
    lab.app.clock.advance(30_000);
    expect(await lab.deliver()).toEqual([]);
    await lab.run("FF");
    lab.app.clock.set(lab.quiet.until);
    expect(await lab.deliver()).toEqual(["incident.opened a"]);
  });

  test("is not put off to an end of maintenance that was changed while it was read", async () => {
    lab = await alertLab();
    await lab.run("FF");
    lab.app.clock.advance(30_000);
    const now = lab.app.clock.now();
    const ends = [now + 600_000, null];
    const quietUntil = async () => ends.shift() ?? null;
    expect(await dueNotices(lab.app.deps, { quietUntil }, now, 9)).toEqual([]);
    expect(await lab.deliver()).toEqual(["incident.opened a"]);
  });

  test("of three regions within a minute is one outage, told once", async () => {
    lab = await alertLab({ regions: ["a", "b", "c"] });
    for (const region of ["a", "b", "c"]) await lab.follow(await lab.ended("F", region));
    for (const region of ["a", "b", "c"])
      await lab.run("F", region).then(() => lab.app.clock.advance(-40_000));
    const incidents = await lab.incidents();
    expect(incidents.map(({ region, status }) => `${region} ${status}`).sort()).toEqual([
      "a suppressed",
      "b suppressed",
      "c suppressed",
      "global open",
    ]);
    lab.app.clock.advance(120_000);
    expect(await lab.deliver()).toEqual(["incident.opened global"]);
    const { records } = lab.app.store;
    await changeCheck(records, lab.check.id, { enabled: 0 });
    await endUnwatchedTask(lab.app.deps, { quietUntil: async () => null }).run();
    expect(await lab.deliver()).toEqual(["incident.resolved global"]);
    const outage = incidents.find(({ region }) => region === "global")!;
    const end = (await noticesOf(records, outage.id)).at(-1)!;
    expect((await factsOf(records, end, "")).title).toBe("Shop is no longer watched where it still failed");
  });

  test("of a shadow diff that a check's fire made opens an incident of its own, told as drift alone, over every channel", async () => {
    lab = await alertLab({ clones: CLONES, policy: { retries: 0, channels: [] } });
    await changeCheck(lab.app.store.records, lab.check.id, { shadow_prod: 1 });
    await compared([{}], "api");
    expect(await lab.incidents()).toEqual([]);
    await compared([{}]);
    expect(await lab.incidents()).toMatchObject([
      { type: "shadow_diff", severity: "warning", status: "open" },
    ]);
    lab.app.clock.advance(30_000);
    expect(await lab.deliver()).toEqual(["shadow_diff.detected a"]);
    const notices = await lab.app.store.records.selectFrom("notices").select("channels").execute();
    expect(notices).toEqual([{ channels: null }]);
    await compared([]);
    await compared([]);
    expect(await lab.incidents()).toMatchObject([{ status: "resolved" }]);
    expect(await lab.deliver()).toEqual([]);
  });

  const NOT_COMPARED: Record<string, { after?: object; clones?: string }> = {
    "the check compares no more": { after: { shadow_prod: false } },
    "the scenario has lost its clones": { clones: "" },
    "the check compares elsewhere": { after: { regions: ["eu-west-1", "us-east-1"] } },
  };
  for (const [why, { after, clones }] of Object.entries(NOT_COMPARED))
    test(`ends a drift when ${why}, though its policy asks for drift`, async () => {
      const regions = ["us-east-1", "eu-west-1"];
      lab = await alertLab({ clones: CLONES, regions, policy: { retries: 0, shadow_diff: true } });
      await changeCheck(lab.app.store.records, lab.check.id, { shadow_prod: 1 });
      await compared([{}]);
      await lab.run("P");
      expect(await lab.incidents()).toMatchObject([{ type: "shadow_diff", status: "open" }]);
      if (clones !== undefined) await lab.sync(clones);
      if (after) {
        const headers = { "content-type": "application/json" };
        const init = { method: "PUT", headers, body: JSON.stringify(after) };
        expect((await lab.app.api(`/v1/scheduled_checks/${lab.check.id}`, init)).status).toBe(200);
      }
      await lab.run("P");
      expect(await lab.incidents()).toMatchObject([{ status: "resolved" }]);
    });

  test("in an error is forgotten where no check runs any more: the next that cannot be made are told again", async () => {
    lab = await alertLab();
    const { records } = lab.app.store;
    await lab.run("EEE", "b");
    expect(await lab.deliver()).toEqual(["monitor.errors b"]);
    await changeCheck(records, lab.check.id, { regions: '["a"]' });
    const task = endUnwatchedTask(lab.app.deps, { quietUntil: async () => null });
    expect(await task.isDue!()).toBe(true);
    await task.run();
    expect(await task.isDue!()).toBe(false);
    await lab.run("EE");
    expect(await task.isDue!()).toBe(false);
    await lab.run("E");
    expect(await lab.deliver()).toEqual(["monitor.errors a"]);
  });

  test("no one comes after ends an incident whose check has gone", async () => {
    lab = await alertLab();
    await lab.run("FF");
    lab.app.clock.advance(30_000);
    await lab.deliver();
    await changeCheck(lab.app.store.records, lab.check.id, { regions: '["b"]' });
    const task = endUnwatchedTask(lab.app.deps, { quietUntil: async () => null });
    expect(await task.isDue!()).toBe(true);
    await task.run();
    expect(await task.isDue!()).toBe(false);
    expect(await lab.incidents()).toMatchObject([{ status: "resolved" }]);
    expect(await lab.deliver()).toEqual(["incident.resolved a"]);
  });
});
