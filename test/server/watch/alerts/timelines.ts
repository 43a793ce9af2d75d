import { type Act, act } from "../../../../server/watch/alerts/acts.ts";
import { createSimulation } from "../../../../server/watch/alerts/simulation.ts";
import { type GivenPolicy, policyOf } from "../../../../server/watch/policy.ts";

/** Seconds since the beginning. */
type At = number;

/**
 * What happens: `[at, region, what]`. `P` passes, `F` fails, `S` passes slowly (10 s), `D` finds drift, `C` finds none. `ack` and
 * `suppress 60` are done to the region's incident, or with `global` to the outage; `tick` is only a moment.
 */
export type Happening = [at: At, region: string, what: string];

export interface Timeline {
  name: string;
  policy?: GivenPolicy;
  /** 1 when absent. */
  regions?: number;
  /** Maintenance from and until. */
  quiet?: [from: At, until: At];
  happens: Happening[];
  /** `region type from-to status`, in the order of opening; `-` for one that goes on. */
  incidents: string[];
  /** `at event region`. */
  told: string[];
}

/** A region's results, one every so many seconds. */
export const every = (step: number, region: string, letters: string, from = 0): Happening[] =>
  [...letters].map((letter, at) => [from + at * step, region, letter]);

/** What came of a timeline, in the words of `Timeline`. */
export function play({ policy = {}, regions = 1, quiet, happens }: Timeline) {
  const simulation = createSimulation(
    policyOf({ alert_policy: JSON.stringify(policy), shadow_prod: 1 }),
    regions,
    (now) => (quiet && now >= quiet[0] * 1000 && now < quiet[1] * 1000 ? quiet[1] * 1000 : null),
  );
  const seconds = (ms: number | null) => (ms === null ? "" : String(ms / 1000));
  let runs = 0;
  for (const [at, region, what] of happens.toSorted((a, b) => a[0] - b[0])) {
    const now = at * 1000;
    if (/^[PFSDC]$/.test(what)) {
      simulation.push({
        runId: `run ${++runs}`,
        region,
        kind: /[DC]/.test(what) ? "shadow" : "run",
        isSuccess: /[PSC]/.test(what),
        at: now,
        durationMs: what === "S" ? 10_000 : 1000,
        signature: what === "F" ? "sig_1" : null,
        traceId: null,
        healed: 0,
      });
      continue;
    }
    simulation.pass(now);
    if (what === "tick") continue;
    const incident = simulation.state.incidents.find((one) => one.region === region);
    const [verb, duration] = what.split(" ");
    const wanted: Act =
      verb === "ack"
        ? { kind: "acknowledge", actor: "someone", at: now }
        : {
            kind: "suppress",
            actor: "someone",
            at: now,
            until: now + Number(duration) * 1000,
            reason: "known",
          };
    const done = act(simulation.state, incident?.id ?? "", wanted);
    if ("refused" in done) throw new Error(`${what} at ${at} is refused`);
    simulation.apply(done);
  }
  simulation.tellDue(Number.MAX_SAFE_INTEGER);
  const regionOf = new Map(simulation.incidents.map(({ id, region }) => [id, region]));
  return {
    incidents: simulation.incidents.map(
      ({ region, type, openedAt, resolvedAt, status }) =>
        `${region} ${type} ${seconds(openedAt)}-${seconds(resolvedAt)} ${status}`,
    ),
    told: simulation.told.map(
      ({ at, event, incidentId }) => `${seconds(at)} ${event} ${regionOf.get(incidentId)}`,
    ),
    simulation,
  };
}
