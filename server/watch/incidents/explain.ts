import { type AlertResultRow, resultsOfRuns } from "../../../store/records/alert-results.ts";
import { findIncident, firedOf, type IncidentRow } from "../../../store/records/incidents.ts";
import { type NoticeRow, noticesOf } from "../../../store/records/notices.ts";
import { type DeliveryRow, listDeliveries } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import type { AlertPolicy } from "../policy.ts";
import type { Explanation } from "./model.ts";
import { requireIncident } from "./service.ts";

const MOST_RESULTS = 100;
const MOST_DELIVERIES = 500;

const time = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/**
 * Why an incident opened, from which results, and why each notice of it was or was not told: all from what was written down when it was
 * decided, under the policy of then.
 * @throws AppError `not_found`, `wrong_org`
 */
export async function explainIncident(
  { store }: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<Explanation> {
  const incident = await requireIncident({ store }, actor, id);
  const { records } = store;
  const fired: Explanation["fired"] = [];
  for (const { text, at, samples } of await firedOf(records, incident.id)) {
    const runs = (JSON.parse(samples) as string[]).slice(-MOST_RESULTS);
    const rule = (JSON.parse(incident.rules) as string[])[fired.length] ?? incident.type;
    fired.push({ rule, at: toIso(at), text, results: (await resultsOfRuns(records, runs)).map(toResult) });
  }
  const notices = await noticesOf(records, incident.id);
  const deliveries = await listDeliveries(records, {
    orgId: incident.org_id,
    incidentId: incident.id,
    limit: MOST_DELIVERIES,
  });
  const deliveriesOf = ({ id }: NoticeRow) => deliveries.filter(({ notice_id }) => notice_id === id);
  const parent =
    incident.parent_incident_id === null ? null : await findIncident(records, incident.parent_incident_id);
  return {
    incident_id: incident.id,
    summary: [
      ...whyOpened(fired),
      ...whatWasTold(incident, notices, deliveriesOf, parent),
      ...whyEnded(incident),
    ],
    policy: JSON.parse(incident.policy) as AlertPolicy,
    fired,
    notices: notices.map((notice) => toNotice(notice, deliveriesOf(notice))),
  };
}

function toResult(row: AlertResultRow): Explanation["fired"][number]["results"][number] {
  const { run_id, region, kind, status, duration_ms, trace_id } = row;
  return { run_id, region, kind, status, at: toIso(row.at), duration_ms, trace_id };
}

function toNotice(row: NoticeRow, deliveries: DeliveryRow[]): Explanation["notices"][number] {
  return {
    id: row.id,
    event: row.event,
    state: row.superseded_at !== null ? "superseded" : row.handed_on_at !== null ? "handed_on" : "waiting",
    created_at: toIso(row.created_at),
    due_at: toIso(row.due_at),
    handed_on_at: time(row.handed_on_at),
    superseded_at: time(row.superseded_at),
    why: row.superseded_reason ?? row.reason,
    channels: row.channels === null ? null : (JSON.parse(row.channels) as string[]),
    deliveries: deliveries.map(({ id, channel_name, state, last_error }) => ({
      ...{ id, channel: channel_name, state },
      error: state === "delivered" ? null : last_error,
    })),
  };
}

const whyOpened = (fired: Explanation["fired"]): string[] =>
  fired.map(({ text, at }, index) =>
    index === 0 ? `It opened at ${at}: ${text}` : `At ${at} another rule fired: ${text}`,
  );

function whatWasTold(
  incident: IncidentRow,
  notices: NoticeRow[],
  deliveriesOf: (notice: NoticeRow) => DeliveryRow[],
  parent: IncidentRow | null,
): string[] {
  const said = notices.map((row) => {
    const { event, due_at, handed_on_at, superseded_reason } = row;
    if (superseded_reason !== null) return `${event} was not told: ${superseded_reason}`;
    if (handed_on_at !== null)
      return `${event} was told at ${toIso(handed_on_at)}: ${row.reason} ${overWhat(deliveriesOf(row))}`;
    return `${event} is to be told at ${toIso(due_at)}: ${row.reason}`;
  });
  if (parent)
    said.push(
      `It is part of the outage ${parent.id}, which is told in its place and has ${parent.status === "resolved" ? "ended" : "not ended"}.`,
    );
  if (incident.status === "suppressed" && incident.suppressed_until !== null)
    said.push(`It is suppressed until ${toIso(incident.suppressed_until)}: ${incident.suppress_reason}`);
  return said;
}

/** Over which channels something was told, and what came of it there. */
function overWhat(deliveries: DeliveryRow[]): string {
  if (deliveries.length === 0) return "No channel was on for it.";
  const words = { delivered: "arrived", pending: "waits", dead: "was given up" };
  return deliveries
    .map(({ channel_name, state, last_error }) => {
      const why = state === "delivered" || last_error === null ? "" : `: ${last_error}`;
      return `${channel_name}: it ${words[state]}${why}${why.endsWith(".") ? "" : "."}`;
    })
    .join(" ");
}

function whyEnded({ resolved_at, unwatched }: IncidentRow): string[] {
  if (resolved_at === null) return ["It ends when two runs in a row are good."];
  const why = unwatched === 1 ? ", since no check watches this scenario here any more" : "";
  return [`It ended at ${toIso(resolved_at)}${why}.`];
}
