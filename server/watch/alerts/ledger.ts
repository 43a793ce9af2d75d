import type { AlertState, Changes, Incident, Notice, NoticeEvent, TimelineEntry } from "./state.ts";

/** The state of a scenario while one decision is made: what is read here has all that the decision changed so far. */
export interface Ledger {
  /** Incidents that have not ended. */
  incidents(): Incident[];
  find(id: string | null): Incident | null;
  open(incident: Incident): void;
  change(incident: Incident, changes: Partial<Incident>): void;
  note(incident: Incident, entry: Pick<TimelineEntry, "at" | "kind" | "text"> & Partial<TimelineEntry>): void;
  tell(
    incident: Incident,
    notice: Pick<Notice, "event" | "channels" | "dueAt" | "reason"> & { superseded?: string },
  ): void;
  /** What of these events is to be told of an incident, or was. */
  told(incident: Incident, event: NoticeEvent): Notice[];
  /** Takes back what was not handed on yet; returns it. */
  withdraw(incident: Incident, reason: string): Notice[];
  changes(): Changes;
}

export function createLedger(state: AlertState, newId: () => string): Ledger {
  const incidents = new Map(state.incidents.map((incident) => [incident.id, { ...incident }]));
  const notices = state.notices.map((notice) => ({ ...notice }));
  const opened = new Set<string>();
  const changed = new Set<string>();
  const added = new Set<string>();
  const timeline: TimelineEntry[] = [];
  const superseded: Changes["superseded"] = [];
  const whole = (ids: Set<string>) => [...ids].map((id) => incidents.get(id)!);
  return {
    incidents: () => [...incidents.values()].filter(({ resolvedAt }) => resolvedAt === null),
    find: (id) => (id === null ? null : (incidents.get(id) ?? null)),
    open(incident) {
      incidents.set(incident.id, incident);
      opened.add(incident.id);
    },
    change(incident, changes) {
      Object.assign(incident, changes);
      if (!opened.has(incident.id)) changed.add(incident.id);
    },
    note({ id }, entry) {
      timeline.push({ incidentId: id, actor: null, runId: null, samples: [], ...entry });
    },
    tell({ id }, notice) {
      const whole = { id: newId(), incidentId: id, isHandedOn: false, superseded: null, ...notice };
      added.add(whole.id);
      notices.push(whole);
    },
    told: ({ id }, event) =>
      notices.filter(
        (notice) => notice.incidentId === id && notice.event === event && notice.superseded === null,
      ),
    withdraw({ id }, reason) {
      const waiting = notices.filter(
        (notice) => notice.incidentId === id && !notice.isHandedOn && notice.superseded === null,
      );
      for (const notice of waiting) {
        notice.superseded = reason;
        if (!added.has(notice.id)) superseded.push({ id: notice.id, reason });
      }
      return waiting;
    },
    changes: () => ({
      opened: whole(opened),
      changed: whole(changed),
      timeline,
      notices: notices.filter(({ id }) => added.has(id)),
      superseded,
    }),
  };
}

/** The state after a decision: incidents that ended are left out, and what was to be told of them. */
export function applyChanges(
  state: AlertState,
  { opened, changed, notices, superseded }: Changes,
): AlertState {
  const after = new Map([...state.incidents, ...opened, ...changed].map((one) => [one.id, one]));
  const incidents = [...after.values()].filter(({ resolvedAt }) => resolvedAt === null);
  const reasons = new Map(superseded.map(({ id, reason }) => [id, reason]));
  const isLeft = new Set(incidents.map(({ id }) => id));
  return {
    incidents,
    notices: [...state.notices, ...notices]
      .filter(({ incidentId }) => isLeft.has(incidentId))
      .map((notice) => ({ ...notice, superseded: reasons.get(notice.id) ?? notice.superseded })),
  };
}
