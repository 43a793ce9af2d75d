import type { AlertPolicy } from "../policy.ts";
import { decide } from "./decide.ts";
import { applyChanges } from "./ledger.ts";
import { tailOf, windowOf } from "./reach.ts";
import type { AlertState, Changes, Incident, NoticeEvent, Result, TimelineEntry } from "./state.ts";

/** What was told, and when. */
export interface Told {
  at: number;
  event: NoticeEvent;
  incidentId: string;
}

/** One scenario whose results come one by one, with the engine that decides on them when it is live. */
export interface Simulation {
  /** @param quietUntil the end of the maintenance that is going on */
  push(result: Result, quietUntil?: number | null): void;
  /** Tells what is due at a time. */
  tellDue(now: number): void;
  /** Takes over what something else decided. */
  apply(changes: Changes): void;
  readonly state: AlertState;
  /** Every incident there was, as it is now, by the order of opening. */
  readonly incidents: Incident[];
  readonly timeline: TimelineEntry[];
  readonly told: Told[];
}

/** @param regions how many the check has */
export function createSimulation(policy: AlertPolicy, regions: number): Simulation {
  let state: AlertState = { incidents: [], notices: [] };
  let ids = 0;
  const all = new Map<string, Incident>();
  const results = new Map<string, Result[]>();
  const timeline: TimelineEntry[] = [];
  const told: Told[] = [];

  function apply(changes: Changes): void {
    for (const incident of [...changes.opened, ...changes.changed]) {
      all.set(incident.id, incident);
      if (incident.resolvedAt !== null) results.delete(incident.region);
    }
    timeline.push(...changes.timeline);
    // What is told of an end outlives its incident.
    const ended = changes.notices.filter(({ event }) => event === "incident.resolved");
    resolvedNotices.push(...ended.filter(({ superseded }) => superseded === null));
    state = applyChanges(state, changes);
  }

  const resolvedNotices: Changes["notices"] = [];

  function tellDue(now: number): void {
    for (const notice of [...state.notices, ...resolvedNotices]) {
      if (notice.isHandedOn || notice.superseded !== null || notice.dueAt > now) continue;
      notice.isHandedOn = true;
      told.push({ at: Math.max(notice.dueAt, 0), event: notice.event, incidentId: notice.incidentId });
    }
  }

  return {
    apply,
    tellDue,
    push(result, quietUntil = null) {
      // Whoever tells has told what was due before this result.
      tellDue(result.at - 1);
      const known = [...(results.get(result.region) ?? []), result];
      const from = result.at - windowOf(policy);
      const isNeeded = ({ at }: Result, index: number) => at > from || index >= known.length - tailOf(policy);
      const needed = known.filter(isNeeded);
      results.set(result.region, needed);
      const asked = { policy, regions, result, results: needed, quietUntil };
      apply(decide({ ...asked, state, now: result.at, newId: () => String(++ids) }));
    },
    get state() {
      return state;
    },
    get incidents() {
      return [...all.values()];
    },
    timeline,
    told,
  };
}
