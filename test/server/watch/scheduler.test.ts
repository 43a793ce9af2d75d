import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commit } from "../../../server/jobs/commit.ts";
import { followRun } from "../../../server/watch/incidents/follow-run.ts";
import { surroundingsOf } from "../../../server/watch/incidents/surroundings.ts";
import { insertRetry } from "../../../server/watch/scheduler/retry.ts";
import { skippedTicksOf } from "../../../store/records/checks.ts";
import { createTestClock, type TestApp, testApp } from "../../helpers/app.ts";
import { childCommand } from "../../helpers/child.ts";
import { runPeriodic } from "../../helpers/traces.ts";
import { endRuns, rowsOf, runsOf, scenarioText, send, syncScenarios, watched } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let t: TestApp;
beforeEach(async () => {
  t = await testApp();
});
afterEach(() => t.close());

/** The clock goes on and the scheduler looks. */
async function later(ms: number, on: TestApp = t): Promise<void> {
  on.clock.advance(ms);
  await on.tick();
}

async function skips(checkId: string): Promise<string[]> {
  const at = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  return (await skippedTicksOf(t.store.records, [checkId], 0)).map(
    ({ region, reason, first_at, last_at, ticks }) =>
      `${region} ${reason} ${at(first_at)}-${at(last_at)} ${ticks}`,
  );
}

const show = async (id: string) => (await t.api(`/v1/scheduled_checks/${id}`)).json();

describe("a fire", () => {
  test("is one run per region, when its time has come and not before", async () => {
    const id = await watched(t, "shop", { regions: ["us-east-1", "eu-west-1"] });
    await later(5 * MINUTE - 1);
    expect(await runsOf(t, id)).toEqual([]);
    await later(1);
    expect(await runsOf(t, id)).toEqual([
      "2026-03-01T12:05 eu-west-1 1 schedule queued",
      "2026-03-01T12:05 us-east-1 1 schedule queued",
    ]);
    await t.tick();
    expect(await rowsOf(t, id)).toHaveLength(2);
    expect(await show(id)).toMatchObject({
      last_run_at: "2026-03-01T12:05:00.000Z",
      last_runs: [
        { region: "us-east-1", status: "queued", scheduled_at: "2026-03-01T12:05:00.000Z" },
        { region: "eu-west-1", status: "queued", scheduled_at: "2026-03-01T12:05:00.000Z" },
      ],
      next_run_at: "2026-03-01T12:10:00.000Z",
    });
  });

  test("that comes while the run before goes on in a region is left out there, and counted", async () => {
    const id = await watched(t, "shop", { regions: ["us-east-1", "eu-west-1"] });
    await later(5 * MINUTE);
    await t.store.records
      .updateTable("runs")
      .set({ status: "passed" })
      .where("region", "=", "eu-west-1")
      .execute();
    await later(5 * MINUTE);
    expect(await runsOf(t, id)).toEqual([
      "2026-03-01T12:05 eu-west-1 1 schedule passed",
      "2026-03-01T12:05 us-east-1 1 schedule queued",
      "2026-03-01T12:10 eu-west-1 1 schedule queued",
    ]);
    await later(5 * MINUTE);
    expect(await skips(id)).toEqual(["us-east-1 overlap 12:10-12:15 2", "eu-west-1 overlap 12:15-12:15 1"]);
    const { body } = await t.deps.metrics.text();
    expect(body).toContain('tracedeck_ticks_skipped_total{reason="overlap"} 3');
    await endRuns(t, id);
    await later(5 * MINUTE);
    expect(await runsOf(t, id)).toContain("2026-03-01T12:20 us-east-1 1 schedule queued");
  });

  test("of a region that left the plan, or of a scenario without an address, is left out with its reason", async () => {
    const id = await watched(t, "shop", { regions: ["us-east-1", "ap-south-1"] });
    await t.store.records
      .updateTable("scheduled_checks")
      .set({ regions: '["us-east-1","mars-1"]' })
      .where("id", "=", id)
      .execute();
    await later(5 * MINUTE);
    await t.store.records.updateTable("scenarios").set({ compiled: null }).execute();
    await endRuns(t, id);
    await later(5 * MINUTE);
    expect(await skips(id)).toEqual([
      "mars-1 not_in_plan 12:05-12:05 1",
      "mars-1 no_target 12:10-12:10 1",
      "us-east-1 no_target 12:10-12:10 1",
    ]);
  });

  test("that is left out for good is told after three, once, until a run can be made again", async () => {
    const id = await watched(t, "shop", { regions: ["us-east-1"] });
    await send(t, "POST", "/v1/notification-channels", {
      type: "email",
      name: "x",
      address: "a@shop.example",
    });
    const told = async () =>
      (
        await t.store.records
          .selectFrom("notices")
          .select(["event", "region", "run_id", "reason"])
          .orderBy("id")
          .execute()
      ).map(({ event, region, run_id, reason }) => `${event} ${region} ${run_id} ${reason}`);
    const { compiled } = await t.store.records
      .selectFrom("scenarios")
      .select("compiled")
      .executeTakeFirstOrThrow();
    await t.store.records.updateTable("scenarios").set({ compiled: null }).execute();
    for (let fire = 0; fire < 2; fire++) await later(5 * MINUTE);
    expect(await told()).toEqual([]);
    for (let fire = 0; fire < 3; fire++) await later(5 * MINUTE);
    const sentence =
      "monitor.errors us-east-1 null 3 fires in a row were left out: their scenario has no address to begin at (`base_url`).";
    expect(await told()).toEqual([sentence]);
    await runPeriodic(t, "notices");
    const [delivery] = await t.store.records.selectFrom("webhook_deliveries").select("facts").execute();
    expect(JSON.parse(delivery!.facts)).toMatchObject({
      ...{ title: "Runs of shop cannot be made in us-east-1: nothing is watched there", runId: "" },
      url: expect.stringMatching(/\/monitoring$/),
    });
    await t.store.records.updateTable("scenarios").set({ compiled }).execute();
    await later(5 * MINUTE);
    await endRuns(t, id);
    for (const run of await rowsOf(t, id)) await followRun(t.deps, surroundingsOf(t.deps), run.id);
    await t.store.records.updateTable("scenarios").set({ compiled: null }).execute();
    for (let fire = 0; fire < 3; fire++) await later(5 * MINUTE);
    expect(await told()).toEqual([sentence, sentence]);
  });
});

describe("a check that looks for drift", () => {
  test("has the clones compared with production at a fire, one comparison at a time, besides its own runs", async () => {
    const clones = 'clones: [{ service: payments, match: "https://api.payments.test/**" }]\n';
    await syncScenarios(t, { paid: scenarioText("paid", clones), plain: scenarioText("plain") });
    const id = await watched(t, "paid", { shadow_prod: true, regions: ["us-east-1", "eu-west-1"] });
    await watched(t, "plain", { shadow_prod: true });
    const compared = async () =>
      (await t.store.records.selectFrom("shadow_diffs").select("run_id").execute()).length;
    await later(5 * MINUTE);
    expect(await rowsOf(t, id)).toHaveLength(2);
    expect(await compared()).toBe(1);
    await endRuns(t, id);
    await later(5 * MINUTE);
    expect(await rowsOf(t, id)).toHaveLength(4);
    expect(await compared()).toBe(1);
    await t.store.records.updateTable("runs").set({ status: "passed" }).execute();
    await later(5 * MINUTE);
    expect(await compared()).toBe(2);
  });

  test("has them compared in its first region alone, and not at a fire that leaves that out", async () => {
    const clones = 'clones: [{ service: payments, match: "https://api.payments.test/**" }]\n';
    await syncScenarios(t, { paid: scenarioText("paid", clones) });
    const id = await watched(t, "paid", { shadow_prod: true, regions: ["us-east-1", "eu-west-1"] });
    const runs = () => t.store.records.updateTable("runs").set({ status: "passed" });
    const compared = async () => {
      const query = t.store.records.selectFrom("runs").select("region").where("type", "=", "shadow_diff");
      const rows = await query.innerJoin("shadow_diffs", "shadow_diffs.run_id", "runs.id").execute();
      return rows.map(({ region }) => region);
    };
    await later(5 * MINUTE);
    expect(await compared()).toEqual(["us-east-1"]);
    await runs().where("type", "=", "shadow_diff").execute();
    await runs().where("region", "=", "eu-west-1").execute();
    await later(5 * MINUTE);
    expect(await skips(id)).toEqual(["us-east-1 overlap 12:10-12:10 1"]);
    expect(await compared()).toEqual(["us-east-1"]);
    await runs().execute();
    await later(5 * MINUTE);
    expect(await compared()).toEqual(["us-east-1", "us-east-1"]);
  });
});

test("how long the longest due check waits is a metric, and a scheduler that looks no more is not ready", async () => {
  const lag = async () => {
    const text = await (await t.api("/metrics")).text();
    return Number(/^tracedeck_scheduler_lag_seconds (\S+)$/m.exec(text)![1]);
  };
  await watched(t, "late");
  await t.tick();
  expect(await lag()).toBe(0);
  t.clock.advance(7 * 60_000);
  expect(await lag()).toBeGreaterThanOrEqual(2 * 60);
  expect((await t.api("/readyz")).status).toBe(503);
  await t.tick();
  expect(await lag()).toBe(0);
  expect((await t.api("/readyz")).status).toBe(200);
});

describe("after a sleep", () => {
  test("one run is caught up per region, at the newest fire; the others are one span", async () => {
    const id = await watched(t, "shop", { regions: ["us-east-1", "eu-west-1"] });
    await later(5 * MINUTE);
    await endRuns(t, id);
    await later(8 * HOUR + 2 * MINUTE);
    expect((await runsOf(t, id)).slice(2)).toEqual([
      "2026-03-01T20:05 eu-west-1 1 catch_up queued",
      "2026-03-01T20:05 us-east-1 1 catch_up queued",
    ]);
    expect(await skips(id)).toEqual(["eu-west-1 missed 12:10-20:00 95", "us-east-1 missed 12:10-20:00 95"]);
    expect(await show(id)).toMatchObject({ next_run_at: "2026-03-01T20:10:00.000Z" });
    const { body } = await t.deps.metrics.text();
    expect(body).toContain('tracedeck_ticks_skipped_total{reason="missed"} 190');
  });

  test("of a month it is one run and one span, at once", async () => {
    const id = await watched(t, "shop", { cron: "* * * * *", timezone: "Australia/Lord_Howe" });
    const before = process.cpuUsage();
    await later(30 * 24 * HOUR);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect(await rowsOf(t, id)).toHaveLength(1);
    expect((await skippedTicksOf(t.store.records, [id], 0)).map(({ ticks }) => ticks)).toEqual([43_199]);
  });

  test("another one meets a run that was never carried out: nothing is caught up over it", async () => {
    const id = await watched(t, "shop");
    await later(HOUR);
    await later(HOUR);
    expect(await runsOf(t, id)).toEqual(["2026-03-01T13:00 us-east-1 1 catch_up queued"]);
    expect(await skips(id)).toEqual([
      "us-east-1 missed 12:05-12:55 11",
      "us-east-1 missed 13:05-13:55 11",
      "us-east-1 overlap 14:00-14:00 1",
    ]);
  });
});

describe("a wall clock that jumps", () => {
  test("forward is as a sleep; back again, fires come from now on, and none that ran comes again", async () => {
    const id = await watched(t, "shop");
    await later(5 * MINUTE);
    await endRuns(t, id);
    t.clock.set(Date.parse("2026-03-01T13:10:30Z"));
    await t.tick();
    await endRuns(t, id);
    t.clock.set(Date.parse("2026-03-01T12:06:00Z"));
    await t.tick();
    expect(await show(id)).toMatchObject({ next_run_at: "2026-03-01T12:10:00.000Z" });
    expect(await skips(id)).toEqual([]);
    for (let minute = 6; minute <= 75; minute++) {
      await later(MINUTE);
      await endRuns(t, id);
    }
    const fires = (await runsOf(t, id)).map((run) => run.slice(11, 16));
    expect(fires).toEqual([
      ...["12:05", "12:10", "12:15", "12:20", "12:25", "12:30", "12:35", "12:40", "12:45", "12:50", "12:55"],
      ...["13:00", "13:05", "13:10", "13:15"],
    ]);
  });

  test("back into fires that it had left out counts those before once, and runs the others", async () => {
    const id = await watched(t, "shop");
    await later(5 * MINUTE);
    await endRuns(t, id);
    t.clock.set(Date.parse("2026-03-01T13:10:30Z"));
    await t.tick();
    expect(await skips(id)).toEqual(["us-east-1 missed 12:10-13:05 12"]);
    t.clock.set(Date.parse("2026-03-01T12:32:00Z"));
    await t.tick();
    expect(await skips(id)).toEqual(["us-east-1 missed 12:10-12:30 5"]);
    await endRuns(t, id);
    for (let minute = 33; minute <= 75; minute++) {
      await later(MINUTE);
      await endRuns(t, id);
    }
    const fires = (await runsOf(t, id)).map((run) => run.slice(11, 16));
    expect(fires).toEqual([
      ...["12:05", "12:35", "12:40", "12:45", "12:50", "12:55", "13:00", "13:05", "13:10", "13:15"],
    ]);
    expect(await skips(id)).toEqual(["us-east-1 missed 12:10-12:30 5"]);
  });

  test("back leaves out no fire that has run, neither over an open run nor after a sleep", async () => {
    const id = await watched(t, "shop");
    for (let minute = 1; minute <= 20; minute++) {
      await later(MINUTE);
      if (minute < 20) await endRuns(t, id);
    }
    t.clock.set(Date.parse("2026-03-01T12:06:00Z"));
    await t.tick();
    await later(4 * MINUTE);
    expect(await skips(id)).toEqual([]);
    await later(25 * MINUTE);
    expect(await skips(id)).toEqual(["us-east-1 missed 12:25-12:30 2", "us-east-1 overlap 12:35-12:35 1"]);
  });

  test("years ahead by mistake does not silence a check when it is put right", async () => {
    const id = await watched(t, "shop");
    t.clock.set(Date.parse("2031-01-01T00:00:00Z"));
    await t.tick();
    await endRuns(t, id);
    t.clock.set(Date.parse("2026-03-01T12:01:00Z"));
    await t.tick();
    await later(4 * MINUTE);
    expect((await runsOf(t, id))[0]).toBe("2026-03-01T12:05 us-east-1 1 schedule queued");
  });
});

describe("a pause", () => {
  test("ends by itself, and leaves no fires to catch up", async () => {
    const id = await watched(t, "shop");
    await later(5 * MINUTE);
    expect((await send(t, "POST", `/v1/scheduled_checks/${id}/pause`, { hours: 1 })).status).toBe(200);
    await endRuns(t, id);
    for (let at = 1; at < 12; at++) await later(5 * MINUTE);
    expect(await rowsOf(t, id)).toHaveLength(1);
    await later(5 * MINUTE);
    expect((await runsOf(t, id)).slice(1)).toEqual(["2026-03-01T13:05 us-east-1 1 schedule queued"]);
    expect(await skips(id)).toEqual([]);
  });
});

describe("places", () => {
  test("an org has as many runs of checks at once as its plan allows; the others wait their turn", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 4; at++)
      ids.push(await watched(t, `shop-${at}`, { regions: ["us-east-1", "eu-west-1", "ap-south-1"] }));
    await later(5 * MINUTE);
    const admitted = async () => {
      const rows = (await Promise.all(ids.map((id) => rowsOf(t, id)))).flat();
      return rows.filter((run) => run.admitted_at !== null && run.status === "queued").length;
    };
    const jobs = async () =>
      (await t.store.records.selectFrom("jobs").select("id").where("kind", "=", "run.execute").execute())
        .length;
    expect(await admitted()).toBe(8);
    expect(await jobs()).toBe(8);
    await t.tick();
    expect(await jobs()).toBe(8);
    await endRuns(t, ids[0]!);
    await t.tick();
    expect(await admitted()).toBe(8);
    expect(await jobs()).toBe(11);
  });

  test("a run whose job is over without it is ended as lost, so that its check goes on", async () => {
    const id = await watched(t, "shop");
    await later(5 * MINUTE);
    await t.store.records
      .updateTable("jobs")
      .set({ state: "dead" })
      .where("kind", "=", "run.execute")
      .execute();
    await later(MINUTE);
    expect(await runsOf(t, id)).toEqual(["2026-03-01T12:05 us-east-1 1 schedule queued"]);
    await later(MINUTE);
    expect((await rowsOf(t, id))[0]).toMatchObject({ status: "error", error_reason: "runner_lost" });
    await later(3 * MINUTE);
    expect(await rowsOf(t, id)).toHaveLength(2);
  });
});

describe("a retry", () => {
  const retry = async (id: string) => {
    const run = (await rowsOf(t, id)).at(-1)!;
    return commit(t.deps, (within, after) => insertRetry(t.deps, within, after, run));
  };

  test("is the next attempt of the same fire in the same region, once", async () => {
    const id = await watched(t, "shop");
    await later(5 * MINUTE);
    await endRuns(t, id, "failed");
    const first = (await rowsOf(t, id))[0]!;
    const again = () => commit(t.deps, (within, after) => insertRetry(t.deps, within, after, first));
    expect(await again()).not.toBeNull();
    expect(await again()).toBeNull();
    await t.tick();
    const [, second] = await rowsOf(t, id);
    expect(second).toMatchObject({ attempt: 2, trigger: "retry", parent_run_id: first.id });
    expect(second!.admitted_at).not.toBeNull();
    await endRuns(t, id, "failed");
    await retry(id);
    expect((await rowsOf(t, id)).at(-1)).toMatchObject({ attempt: 3, parent_run_id: first.id });
  });

  test("is not made of a check that is off, paused or gone", async () => {
    const id = await watched(t, "shop");
    await later(5 * MINUTE);
    await endRuns(t, id, "failed");
    await send(t, "POST", `/v1/scheduled_checks/${id}/pause`, { hours: 1 });
    expect(await retry(id)).toBeNull();
    await send(t, "POST", `/v1/scheduled_checks/${id}/pause`, { hours: 0 });
    await send(t, "PUT", `/v1/scheduled_checks/${id}`, { enabled: false });
    expect(await retry(id)).toBeNull();
    await t.api(`/v1/scheduled_checks/${id}`, { method: "DELETE" });
    expect(await retry(id)).toBeNull();
  });
});

describe("servers on one store", () => {
  const START = Date.parse("2026-03-01T12:00:00Z");

  /** Each fire of a minute is either run once or told as left out, and what has a place has a job. */
  async function expectWhole(on: TestApp, ids: string[], minutes: number): Promise<void> {
    for (const id of ids) {
      const ran = (await rowsOf(on, id)).map(({ scheduled_at }) => scheduled_at);
      expect(new Set(ran).size).toBe(ran.length);
      const spans = await skippedTicksOf(on.store.records, [id], 0);
      const leftOut = spans.flatMap(({ first_at, ticks }) =>
        Array.from({ length: ticks }, (_, at) => first_at + at * MINUTE),
      );
      const all = Array.from({ length: minutes }, (_, at) => START + (at + 1) * MINUTE);
      expect([...ran, ...leftOut].sort((a, b) => a - b)).toEqual(all);
    }
    const placed = await on.store.records
      .selectFrom("runs")
      .select("id")
      .where("admitted_at", "is not", null)
      .orderBy("id")
      .execute();
    const jobs = await on.store.records
      .selectFrom("jobs")
      .select("dedupe_key")
      .where("kind", "=", "run.execute")
      .orderBy("dedupe_key")
      .execute();
    expect(jobs.map(({ dedupe_key }) => dedupe_key)).toEqual(placed.map(({ id }) => id));
  }

  const child = (dataDir: string, name: string, minutes: [from: number, to: number]) =>
    Bun.spawn(
      [
        ...childCommand(join(import.meta.dir, "../../helpers/tick-child.ts")),
        ...[dataDir, name],
        ...minutes.map((minute) => String(START + minute * MINUTE)),
      ],
      { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
    );

  const goOn = (running: ReturnType<typeof child>) => {
    running.stdin.write("\n");
    running.stdin.end();
  };

  async function folder(): Promise<{ dataDir: string; ids: string[] }> {
    const dataDir = mkdtempSync(join(tmpdir(), "tracedeck-ticks-"));
    const first = await testApp({ dataDir });
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push(await watched(first, `shop-${at}`, { cron: "* * * * *" }));
    await first.close();
    return { dataDir, ids };
  }

  test("never run a fire twice and lose none, though both look at once", async () => {
    const { dataDir, ids } = await folder();
    const both = [child(dataDir, "one", [0, 60]), child(dataDir, "other", [0, 60])];
    // Both have looked before either goes on: neither takes the other for a clock that was ahead.
    for (const { stdout } of both) expect((await stdout.getReader().read()).done).toBe(false);
    for (const running of both) goOn(running);
    expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0]);
    const after = await testApp({ dataDir });
    await expectWhole(after, ids, 60);
    await after.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("are killed at any moment: whoever comes next goes on where the records stand", async () => {
    const { dataDir, ids } = await folder();
    let reached = 0;
    for (let kills = 0; kills < 4; kills++) {
      const running = child(dataDir, "one", [reached, 100_000]);
      goOn(running);
      const reader = running.stdout.getReader();
      const text = new TextDecoder();
      for (let lines = 0; lines < 8 + kills; ) {
        const { value } = await reader.read();
        const told = text.decode(value).trim().split("\n");
        lines += told.length;
        reached = (Number(told.at(-1)) - START) / MINUTE;
      }
      running.kill("SIGKILL");
      await running.exited;
    }
    // The last one may have got farther than it told.
    reached += 60;
    const clock = createTestClock(START + reached * MINUTE);
    const after = await testApp({ dataDir, clock });
    await after.tick();
    await expectWhole(after, ids, reached);
    await after.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

test("fires that were left out are forgotten with the runs of their time", async () => {
  const id = await watched(t, "shop");
  await later(HOUR);
  const prune = t.runtime.periodic.find(({ name }) => name === "skipped ticks")!;
  await prune.run();
  expect(await skips(id)).toHaveLength(1);
  t.clock.advance(91 * 24 * HOUR);
  await prune.run();
  expect(await skips(id)).toEqual([]);
});
