import type { AlertResultRow } from "../../../store/records/alert-results.ts";
import type { Db, Trx } from "../../../store/records/db.ts";
import {
  addTimeline,
  changeIncident,
  type IncidentRow,
  insertIncident,
  unresolvedOf,
} from "../../../store/records/incidents.ts";
import { insertNotice, type NoticeRow, noticesOf, supersede } from "../../../store/records/notices.ts";
import type { After } from "../../jobs/commit.ts";
import type { AlertState, Changes, Incident, Notice, NoticeEvent, Result } from "../alerts/state.ts";
import type { AlertPolicy } from "../policy.ts";

/** A stored result as the rules take it. Errors are none. */
export function toResult(row: AlertResultRow): Result {
  return {
    runId: row.run_id,
    region: row.region,
    kind: row.kind,
    isSuccess: row.status === "passed",
    at: row.at,
    durationMs: row.duration_ms,
    signature: row.failure_signature,
    traceId: row.trace_id,
    healed: row.healed,
  };
}

function toState(row: IncidentRow): Incident {
  return {
    id: row.id,
    region: row.region,
    type: row.type,
    status: row.status,
    severity: row.severity,
    rules: JSON.parse(row.rules) as Incident["rules"],
    openedAt: row.opened_at,
    failingAt: row.failing_at,
    acknowledgedAt: row.acknowledged_at,
    acknowledgedBy: row.acknowledged_by,
    suppressedUntil: row.suppressed_until,
    suppressReason: row.suppress_reason,
    resolvedAt: row.resolved_at,
    isUnwatched: row.unwatched === 1,
    parentId: row.parent_incident_id,
    signature: row.failure_signature,
    lastRunId: row.last_run_id,
    traceId: row.trace_id,
  };
}

const toNotice = (row: NoticeRow): Notice => ({
  id: row.id,
  incidentId: row.incident_id!,
  event: row.event as NoticeEvent,
  channels: row.channels === null ? null : (JSON.parse(row.channels) as string[]),
  dueAt: row.handed_on_at ?? row.due_at,
  reason: row.reason,
  isHandedOn: row.handed_on_at !== null,
  superseded: row.superseded_reason,
});

/** What is known of a scenario's incidents that have not ended. */
export async function loadState(trx: Db, scenarioId: string): Promise<AlertState> {
  const rows = await unresolvedOf(trx, scenarioId);
  const notices: Notice[] = [];
  for (const { id } of rows) notices.push(...(await noticesOf(trx, id)).map(toNotice));
  return { incidents: rows.map(toState), notices };
}

function toRow(incident: Incident) {
  return {
    type: incident.type,
    status: incident.status,
    severity: incident.severity,
    rules: JSON.stringify(incident.rules),
    opened_at: incident.openedAt,
    failing_at: incident.failingAt,
    acknowledged_at: incident.acknowledgedAt,
    acknowledged_by: incident.acknowledgedBy,
    suppressed_until: incident.suppressedUntil,
    suppress_reason: incident.suppressReason,
    resolved_at: incident.resolvedAt,
    unwatched: Number(incident.isUnwatched),
    parent_incident_id: incident.parentId,
    failure_signature: incident.signature,
    last_run_id: incident.lastRunId,
    trace_id: incident.traceId,
  };
}

/** What incidents and notices have besides what is decided on. */
export interface Belonging {
  orgId: string;
  scenarioId: string;
  /** Epoch ms. */
  now: number;
  policy: AlertPolicy;
}

/**
 * Writes down what was decided, all of it in the transaction of what it follows from.
 * @throws Error when an incident ended, or one opened, since the state was read: what was decided on is not so any more
 */
export async function writeChanges(
  trx: Trx,
  after: Pick<After, "publish">,
  { opened, changed, timeline, notices, superseded }: Changes,
  { orgId, scenarioId, now, policy }: Belonging,
): Promise<void> {
  for (const incident of opened) {
    const { id, region } = incident;
    const belongs = { id, region, org_id: orgId, scenario_id: scenarioId };
    await insertIncident(trx, { ...belongs, ...toRow(incident), policy: JSON.stringify(policy) });
  }
  for (const incident of changed)
    if (!(await changeIncident(trx, incident.id, toRow(incident))))
      throw new Error(`The incident ${incident.id} ended while it was decided on.`);
  for (const { incidentId, runId, samples, ...entry } of timeline)
    await addTimeline(trx, {
      ...entry,
      incident_id: incidentId,
      run_id: runId,
      samples: JSON.stringify(samples),
    });
  for (const { id, reason } of superseded) await supersede(trx, id, now, reason);
  const about = new Map([...opened, ...changed].map((incident) => [incident.id, incident]));
  for (const notice of notices) {
    const incident = about.get(notice.incidentId)!;
    await insertNotice(trx, {
      id: notice.id,
      org_id: orgId,
      event: notice.event,
      incident_id: incident.id,
      scenario_id: scenarioId,
      region: incident.region,
      run_id: incident.lastRunId,
      failure_signature: incident.signature,
      trace_id: incident.traceId,
      channels: notice.channels && JSON.stringify(notice.channels),
      due_at: notice.dueAt,
      created_at: now,
      reason: notice.reason,
      ...(notice.superseded !== null && { superseded_at: now, superseded_reason: notice.superseded }),
    });
  }
  for (const { id } of about.values()) after.publish("incidents", orgId, { type: "incident.changed", id });
}
