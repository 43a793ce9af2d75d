import type { AlertPolicy } from "../policy.ts";
import { decide } from "./decide.ts";
import { applyChanges } from "./ledger.ts";
import { MOST_RESULTS, tailOf, windowOf } from "./reach.ts";
import { remind, reminderAt } from "./remind.ts";
import type { AlertState, Changes, Incident, NoticeEvent, Result, TimelineEntry } from "./state.ts";

/** What was told, and when. */
export interface Told {
  at: number;
  event: NoticeEvent;
  incidentId: string;
}

/** One scenario whose results come one by one, with the engine that decides on them when it is live. */
export interface Simulation {
  push(result: Result): void;
  /** Time goes on: what is due is told, and told again. */
  pass(now: number): void;
  /** Tells what is due at a time, and reminds of nothing. */
  tellDue(now: number): void;
  /** Takes over what something else decided. */
  apply(changes: Changes): void;
  readonly state: AlertState;
  /** Every incident there was, as it is now, by the order of opening. */
  readonly incidents: Incident[];
  readonly timeline: TimelineEntry[];
  readonly told: Told[];
}

/**
 * @param regions how many the check has
 * @param quietAt the end of the maintenance that goes on at a time; null when none does
 */
export function createSimulation(
  policy: AlertPolicy,
  regions: number,
  quietAt: (now: number) => number | null = () => null,
): Simulation {
  let state: AlertState = { incidents: [], notices: [] };
  const channels = policy.channels ?? null;
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

  /** Until when time has gone by. */
  let clock = Number.NEGATIVE_INFINITY;

  function pass(now: number): void {
    for (;;) {
      tellDue(now);
      const [next] = state.incidents
        .filter(isFailing)
        .map(({ id, ...incident }) => ({ id, at: reminderAt({ id, ...incident }, state.notices, policy) }))
        .filter((one): one is { id: string; at: number } => one.at !== null && one.at <= now)
        .sort((a, b) => a.at - b.at);
      if (!next) break;
      const { id } = next;
      // What began to fail again a while later is told then.
      const at = Math.max(next.at, clock);
      const telling = { now: at, regions, channels, quietUntil: quietAt(at) };
      apply(remind(state, id, { policy, newId: () => String(++ids), ...telling }));
    }
    clock = Math.max(clock, now);
  }

  /** Whether the newest result is bad: of an outage, that of any region that it holds. What is slow may pass. */
  function isFailing(incident: Incident): boolean {
    const parts = state.incidents.filter(({ parentId }) => parentId === incident.id);
    return (parts.length > 0 ? parts : [incident]).some(
      ({ region, rules }) =>
        rules.includes("latency_p99") || results.get(region)?.at(-1)?.isSuccess === false,
    );
  }

  return {
    apply,
    pass,
    tellDue,
    push(result) {
      const quietUntil = quietAt(result.at);
      // Whoever tells has told what was due before this result.
      pass(result.at - 1);
      clock = result.at;
      const known = [...(results.get(result.region) ?? []), result];
      const from = result.at - windowOf(policy);
      const isNeeded = ({ at }: Result, index: number) => at > from || index >= known.length - tailOf(policy);
      const needed = known.filter(isNeeded).slice(-MOST_RESULTS);
      results.set(result.region, needed);
      const asked = { policy, regions, channels, result, results: needed, quietUntil };
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
