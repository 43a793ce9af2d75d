import { expect, test } from "bun:test";
import fc from "fast-check";
import { act } from "../../../../server/watch/alerts/acts.ts";
import { createSimulation, type Simulation } from "../../../../server/watch/alerts/simulation.ts";
import { type GivenPolicy, policyOf } from "../../../../server/watch/policy.ts";
import { expected, type Run } from "./model.ts";

/** `TEST_STREAMS=100000` for a soak. */
const STREAMS = Number(process.env.TEST_STREAMS ?? 1500);

const whole = (policy: GivenPolicy) => policyOf({ alert_policy: JSON.stringify(policy), shadow_prod: 0 });

const policies = fc.record({
  consecutive_failures: fc.option(fc.integer({ min: 1, max: 4 })),
  failure_rate: fc.option(
    fc.record({
      percent: fc.constantFrom(25, 50, 100),
      window_minutes: fc.integer({ min: 1, max: 12 }),
      min_samples: fc.integer({ min: 1, max: 6 }),
    }),
  ),
});

const streams = (regions: number, most = 60) =>
  fc
    .array(
      fc.record({
        gap: fc.oneof(fc.integer({ min: 1, max: 40_000 }), fc.constantFrom(20_000, 30_000, 60_000, 60_001)),
        region: fc.integer({ min: 1, max: regions }).map((number) => `r${number}`),
        isSuccess: fc.boolean(),
      }),
      { maxLength: most },
    )
    .map((items) => {
      let at = 0;
      return items.map(({ gap, region, isSuccess }): Run => {
        at += gap;
        return { at, region, isSuccess };
      });
    });

function push(simulation: Simulation, { at, region, isSuccess }: Run): void {
  const found = { kind: "run", isSuccess, durationMs: 1, signature: null, traceId: null, healed: 0 } as const;
  simulation.push({ runId: `${region}@${at}`, region, at, ...found });
}

function outcomeOf(simulation: Simulation) {
  simulation.tellDue(Number.MAX_SAFE_INTEGER);
  const regions = new Map(simulation.incidents.map(({ id, region }) => [id, region]));
  return {
    incidents: simulation.incidents
      .map(({ region, openedAt, resolvedAt }) => `${region} ${openedAt}-${resolvedAt ?? ""}`)
      .sort(),
    told: simulation.told
      .map(({ at, event, incidentId }) => `${at} ${event} ${regions.get(incidentId)}`)
      .sort(),
  };
}

test("whatever comes, the engine opens, ends and tells what the small model does, and nothing else", () => {
  const cases = fc
    .integer({ min: 1, max: 5 })
    .chain((regions) => fc.tuple(policies, fc.constant(regions), streams(regions)));
  fc.assert(
    fc.property(cases, ([given, regions, runs]) => {
      const policy = whole(given);
      const simulation = createSimulation(policy, regions);
      for (const run of runs) push(simulation, run);
      expect(outcomeOf(simulation)).toEqual(expected(policy, regions, runs));
    }),
    { numRuns: STREAMS },
  );
});

test("whatever people do besides, one incident is open at a time, two passes ended it, and its end is told to those who knew", () => {
  const done = fc.record({
    after: fc.nat({ max: 40 }),
    kind: fc.constantFrom("acknowledge", "suppress"),
    which: fc.nat({ max: 5 }),
    ms: fc.integer({ min: 1, max: 300_000 }),
  });
  const cases = fc.tuple(
    streams(4, 40),
    fc.array(done, { maxLength: 8 }),
    fc.option(fc.nat({ max: 600_000 })),
    fc.option(fc.integer({ min: 5, max: 30 })),
  );
  fc.assert(
    fc.property(cases, ([runs, acts, quiet, remind]) => {
      const policy = whole(remind === null ? {} : { remind_minutes: remind });
      const simulation = createSimulation(policy, 4, (now) => (quiet !== null && now < quiet ? quiet : null));
      const passes = new Map<string, boolean[]>();
      for (const [index, run] of runs.entries()) {
        push(simulation, run);
        passes.set(run.region, [...(passes.get(run.region) ?? []), run.isSuccess]);
        for (const { kind, which, ms } of acts.filter(({ after }) => after === index)) {
          const incident = simulation.state.incidents[which];
          if (!incident) continue;
          const who = { actor: "someone", at: run.at };
          const wanted =
            kind === "acknowledge"
              ? ({ kind, ...who } as const)
              : ({ kind: "suppress", ...who, until: run.at + ms, reason: "known" } as const);
          const changes = act(simulation.state, incident.id, wanted);
          if (!("refused" in changes)) simulation.apply(changes);
        }
        const open = simulation.state.incidents.map(({ region }) => region);
        expect(new Set(open).size).toBe(open.length);
        const ended = simulation.incidents.filter(
          ({ resolvedAt, region }) => resolvedAt === run.at && region !== "global",
        );
        for (const { region } of ended) expect(passes.get(region)!.slice(-2)).toEqual([true, true]);
        for (const { parentId, region } of simulation.state.incidents)
          if (parentId !== null) expect([region, open.includes("global")]).toEqual([region, true]);
      }
      simulation.tellDue(Number.MAX_SAFE_INTEGER);
      for (const { id, resolvedAt } of simulation.incidents) {
        const events = simulation.told
          .filter(({ incidentId }) => incidentId === id)
          .map(({ event }) => event);
        const isTold = events.includes("incident.opened") && resolvedAt !== null;
        expect(events.filter((event) => event === "incident.resolved").length).toBe(isTold ? 1 : 0);
        if (isTold) expect(events.at(-1)).toBe("incident.resolved");
      }
    }),
    { numRuns: Math.ceil(STREAMS / 3) },
  );
});

test("three regions are one outage up to a minute apart, and not a millisecond more, in whichever order their results come in", () => {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ] as const;
  const start = Date.UTC(2026, 2, 1);
  for (const apart of [59_999, 60_000, 60_001])
    for (const order of orders)
      for (const between of [1, 30_000, apart]) {
        const simulation = createSimulation(whole({ consecutive_failures: 1 }), 3);
        const begins = [0, between, apart];
        for (const place of order)
          push(simulation, { at: start + begins[place]!, region: "abc"[place]!, isSuccess: false });
        const outages = simulation.incidents.filter(({ type }) => type === "global_outage");
        expect([apart, order, between, outages.length]).toEqual([
          apart,
          order,
          between,
          apart <= 60_000 ? 1 : 0,
        ]);
        const held = simulation.incidents.filter(({ parentId }) => parentId !== null);
        expect(held).toHaveLength(apart <= 60_000 ? 3 : 0);
      }
});
