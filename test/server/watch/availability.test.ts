import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { foldSome } from "../../../server/watch/availability/fold.ts";
import { addSums, noSums, toHours } from "../../../server/watch/availability/hours.ts";
import type { Availability, SloAnswer } from "../../../server/watch/availability/model.ts";
import { addTo, percentilesOf, type Sketch } from "../../../server/watch/availability/sketch.ts";
import type { HourResult } from "../../../store/records/result-hours.ts";
import { type AlertLab, alertLab } from "../../helpers/alerts.ts";
import { runPeriodic } from "../../helpers/traces.ts";
import { send } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("what results came to", () => {
  const results = fc
    .array(
      fc.record({
        gap: fc.integer({ min: 1, max: 3 * HOUR }),
        status: fc.constantFrom("passed" as const, "failed" as const, "error" as const),
        duration_ms: fc.integer({ min: 0, max: 600_000 }),
      }),
      { minLength: 1, maxLength: 60 },
    )
    .map((given) => {
      let at = Date.UTC(2026, 2, 1);
      return given.map(({ gap, ...rest }, index): HourResult => {
        at += gap;
        return { ...rest, at, run_id: `run ${index}` };
      });
    });
  const spans = fc
    .array(
      fc.record({
        from: fc.integer({ min: 0, max: 100 * HOUR }),
        length: fc.integer({ min: 0, max: 5 * HOUR }),
      }),
      { maxLength: 4 },
    )
    .map((given) =>
      given.map(({ from, length }) => ({
        from: Date.UTC(2026, 2, 1) + from,
        to: Date.UTC(2026, 2, 1) + from + length,
      })),
    );
  const whole = (hours: Map<number, ReturnType<typeof noSums>>) => {
    const sums = noSums();
    for (const one of hours.values()) addSums(sums, one);
    return sums;
  };

  test("is the same whether results are taken at once or some at a time, and no hour has more than an hour", () => {
    fc.assert(
      fc.property(results, spans, fc.integer({ min: 0, max: 60 }), (all, maintenance, place) => {
        const around = { maintenance, cuts: [], holdMs: 2 * HOUR };
        const until = all.at(-1)!.at;
        const once = toHours(null, all, around, until);
        const [first, rest] = [all.slice(0, place), all.slice(place)];
        const twice = toHours(null, first, around, first.at(-1)?.at ?? 0);
        for (const [hour, sums] of toHours(first.at(-1) ?? null, rest, around, until)) {
          const known = twice.get(hour) ?? noSums();
          addSums(known, sums);
          twice.set(hour, known);
        }
        expect(whole(twice)).toEqual(whole(once));
        for (const [hour, { up, down, maintenance: quiet }] of once) {
          expect(hour % HOUR).toBe(0);
          expect(up + down + quiet).toBeLessThanOrEqual(HOUR);
        }
      }),
    );
  });

  test("tells percentiles within one hundredth of the nearest rank", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3_600_000 }), { minLength: 1 }), (durations) => {
        const sketch: Sketch = {};
        for (const ms of durations) addTo(sketch, ms);
        const sorted = durations.toSorted((a, b) => a - b);
        for (const [index, percent] of [50, 95, 99].entries()) {
          const exact = sorted[Math.ceil((percent / 100) * sorted.length) - 1]!;
          const told = percentilesOf(sketch, [50, 95, 99])[index]!;
          expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * 0.01 + 1);
        }
      }),
    );
    expect(percentilesOf({}, [50])).toEqual([null]);
  });
});

describe("a check that runs every minute in two regions", () => {
  let lab: AlertLab;
  beforeAll(async () => {
    lab = await alertLab();
  });
  afterAll(() => lab.app.close());

  const path = (rest: string) => `/v1/scheduled_checks/${lab.check.id}${rest}`;
  const read = async (days = 1) => (await lab.api<Availability>(path(`/availability?days=${days}`))).body;
  const slo = async () => (await lab.api<SloAnswer>(path("/slo"))).body;
  const minutes = (of: Availability["total"]) =>
    [of.up_ms, of.down_ms, of.maintenance_ms, of.paused_ms, of.no_data_ms].map((ms) => ms / MINUTE);

  test("was up and down as long as its newest result said so, and before its first one nothing is known", async () => {
    await lab.run("PPFFPP", "a");
    const { regions, total, from, to } = await read();
    expect(regions.map(({ region }) => region)).toEqual(["a", "b"]);
    expect(minutes(regions[0]!)).toEqual([3, 2, 0, 0, 1]);
    expect(regions[0]).toMatchObject({ availability_percent: 60, passed: 4, failed: 2, errors: 0 });
    expect(minutes(regions[1]!)).toEqual([0, 0, 0, 0, 6]);
    expect(regions[1]).toMatchObject({ availability_percent: null, p99_ms: null });
    expect(minutes(total)).toEqual([3, 2, 0, 0, 7]);
    expect([from, to]).toEqual(["2026-03-01T12:00:00.000Z", "2026-03-01T12:06:00.000Z"]);
    for (const ms of [regions[0]!.p50_ms, regions[0]!.p95_ms])
      expect(Math.abs(ms! - 1000)).toBeLessThanOrEqual(10);
  });

  test("is not taken as up when nothing is heard of it, nor when its runs cannot be made", async () => {
    lab.app.clock.advance(10 * MINUTE);
    // The last result speaks for two fires and a minute.
    expect(minutes((await read()).regions[0]!)).toEqual([6, 2, 0, 0, 8]);
    await lab.run("EE", "a");
    expect(minutes((await read()).regions[0]!)).toEqual([6, 2, 0, 0, 10]);
    expect((await read()).regions[0]!.errors).toBe(2);
  });

  test("is neither up nor down while it is paused or switched off", async () => {
    await lab.run("P", "a");
    await send(lab.app, "POST", path("/pause"), { hours: 1 });
    lab.app.clock.advance(30 * MINUTE);
    await send(lab.app, "POST", path("/pause"), { hours: 0 });
    expect(minutes((await read()).regions[0]!)).toEqual([6, 2, 0, 30, 11]);
    lab.app.clock.advance(MINUTE);
    await send(lab.app, "PUT", path(""), { enabled: false });
    lab.app.clock.advance(9 * MINUTE);
    expect(minutes((await read()).regions[0]!)).toEqual([6, 2, 0, 39, 12]);
  });

  test("is neither while maintenance goes on, whatever its runs find", async () => {
    const { records } = lab.app.store;
    await records.updateTable("scheduled_checks").set({ enabled: 1 }).execute();
    await records
      .updateTable("check_rests")
      .set({ until_at: lab.app.clock.now() })
      .where("until_at", "is", null)
      .execute();
    const starts_at = new Date(lab.app.clock.now()).toISOString().slice(0, 16);
    await send(lab.app, "POST", "/v1/maintenance-windows", { name: "w", starts_at, duration_minutes: 10 });
    await lab.run("FFFFFPPPPPPP", "a");
    // The first minute of it comes before its first result, and two minutes come after its end.
    expect(minutes((await read()).regions[0]!)).toEqual([8, 2, 10, 39, 12]);
  });

  test("is known from its hours when its results have gone, by the hour and by the day", async () => {
    const before = (await read()).regions[0]!;
    lab.app.clock.advance(15 * MINUTE);
    const series = { scenario_id: lab.check.scenario_id, region: "a", org_id: lab.app.orgId };
    const until = lab.app.clock.now() - 10 * MINUTE;
    // Two servers at once: one moves the series on.
    await Promise.all([foldSome(lab.app.deps, series, until), foldSome(lab.app.deps, series, until)]);
    await runPeriodic(lab.app, "availability.fold");
    const after = (await read()).regions[0]!;
    expect(minutes(after)).toEqual([11, 2, 10, 39, 24]);
    expect([after.passed, after.failed, after.p50_ms]).toEqual([before.passed, before.failed, before.p50_ms]);
    await lab.app.store.records.deleteFrom("alert_results").execute();
    for (const days of [1, 7, 30, 90]) {
      const { regions, total } = await read(days);
      expect(minutes(regions[0]!)).toEqual([11, 2, 10, 39, 24]);
      const parts = total.points.map(
        (point) => point.up_ms + point.down_ms + point.maintenance_ms + point.paused_ms + point.no_data_ms,
      );
      expect(parts.reduce((sum, ms) => sum + ms, 0)).toBe(2 * 86 * MINUTE);
    }
  });

  test("has an error budget once something is promised of it, and none before", async () => {
    expect((await lab.api(path("/slo"))).status).toBe(404);
    for (const wrong of [
      { target_percent: 100, window_days: 28 },
      { target_percent: 99 },
      { target_percent: 99, window_days: 91 },
    ])
      expect((await send(lab.app, "PUT", path(""), { slo: wrong })).status).toBe(422);
    const promised = { target_percent: 80, window_days: 28 };
    const answer = await send(lab.app, "PUT", path(""), { slo: promised });
    expect(await answer.json()).toMatchObject({ slo: promised });
    expect(await slo()).toMatchObject({
      ...{ slo: promised, state: "ok", availability_percent: 84.61538, measured_ms: 13 * MINUTE },
      budget: { total_ms: 2.6 * MINUTE, spent_ms: 2 * MINUTE, left_ms: 0.6 * MINUTE, left_percent: 23.08 },
      burn_rates: [
        { hours: 1, rate: null, limit: 14.4 },
        { hours: 6, rate: null, limit: 6 },
        { hours: 72, rate: 0.77, limit: 1 },
      ],
      exhausted_at: null,
    });
    await lab.run("PFFFFFF", "b");
    const burning = await slo();
    expect(burning.burn_rates.map(({ rate }) => rate)).toEqual([4.17, 4.17, 1.84]);
    expect(burning).toMatchObject({ state: "exhausted", budget: { left_ms: -3.2 * MINUTE } });
    expect(burning.regions.map(({ region, down_ms }) => [region, down_ms / MINUTE])).toEqual([
      ["a", 2],
      ["b", 5],
    ]);
    await send(lab.app, "PUT", path(""), { slo: null });
    expect((await lab.api(path("/slo"))).status).toBe(404);
  });

  test("refuses a window that there is none of", async () => {
    const { status, body } = await lab.api<{ message: string }>(path("/availability?days=2"));
    expect([status, body.message]).toEqual([422, expect.stringContaining("days")]);
  });
});

test("ninety days of a region are read as its hours, side by side, and the few results behind them", async () => {
  await using lab = await labOf();
  const { records } = lab.app.store;
  const now = lab.app.clock.now();
  const of = { scenario_id: lab.check.scenario_id, region: "a", org_id: lab.app.orgId };
  const sums = {
    up_ms: HOUR,
    down_ms: 0,
    maintenance_ms: 0,
    passed: 60,
    failed: 0,
    errors: 0,
    durations: '{"349":60}',
  };
  const rows = Array.from({ length: 90 * 24 }, (_, at) => ({ ...of, ...sums, hour: now - (at + 1) * HOUR }));
  for (let at = 0; at < rows.length; at += 500)
    await records
      .insertInto("result_hours")
      .values(rows.slice(at, at + 500))
      .execute();
  await records
    .updateTable("scheduled_checks")
    .set({ created_at: now - 100 * 24 * HOUR })
    .execute();
  const { body } = await lab.api<Availability>(`/v1/scheduled_checks/${lab.check.id}/availability?days=90`);
  expect(body.regions[0]).toMatchObject({ availability_percent: 100, passed: 60 * (90 * 24 - 1) });
  expect(body.regions[0]!.points).toHaveLength(90);
});

async function labOf() {
  const lab = await alertLab();
  return { ...lab, [Symbol.asyncDispose]: () => lab.app.close() };
}
