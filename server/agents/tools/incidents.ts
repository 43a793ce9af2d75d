import { type Static, Type } from "@sinclair/typebox";
import type { Deps } from "../../deps.ts";
import { writeIdCursor } from "../../http/cursors.ts";
import { ANSWER_BYTES, fitting, told, toldOrNull } from "../../trace/fit.ts";
import { oneOf } from "../../trace/model.ts";
import { INCIDENT_STATUSES } from "../../watch/alerts/state.ts";
import { type IncidentItem, IncidentListQuery, MAX_SUPPRESS_SECONDS } from "../../watch/incidents/model.ts";
import { acknowledgeIncident, showIncidents, suppressIncident } from "../../watch/incidents/service.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { traceLink } from "../trace-reference.ts";
import { Cursor, NextCursor, Text, TextOrNull, Url } from "./shared.ts";

const FIND_AN_INCIDENT = "product_list_incidents lists those that have not ended.";
const UNRESOLVED = ["open", "acknowledged", "suppressed"] as const;
/** More than fit into an answer. */
const MOST = 25;
const { status, scenario } = IncidentListQuery.properties;

const Incident = Type.Object({
  ...{ id: Text, type: Text, status: oneOf(INCIDENT_STATUSES), severity: Text },
  ...{ scenario_id: Text, scenario_slug: Text, region: Text, opened_at: Text },
  ...{ acknowledged_at: TextOrNull, suppressed_until: TextOrNull, suppress_reason: TextOrNull },
  ...{ resolved_at: TextOrNull, parent_incident_id: TextOrNull, failure_signature: TextOrNull },
  ...{ last_run_id: Text, trace_id: TextOrNull, trace_url: TextOrNull, headline: TextOrNull },
  next: Text,
  url: Url,
});

export const listIncidents = defineTool({
  name: "product_list_incidents",
  title: "List incidents",
  description:
    "What checks found broken, newest first, with the cause of each. Without status: what has not ended.",
  scope: ["incidents:read"],
  input: Type.Object({ status, scenario, cursor: Cursor }),
  output: Type.Object({ items: Type.Array(Incident), next_cursor: NextCursor }),
  call: toldIncidents,
});

export const ackIncident = defineTool({
  name: "product_ack_incident",
  title: "Acknowledge an incident",
  description: "Say that somebody looks at an incident. It still ends by itself after two good runs.",
  scope: ["incidents:write"],
  isWrite: true,
  whenMissing: FIND_AN_INCIDENT,
  input: Type.Object({ incident_id: Type.String({ format: "uuid" }) }),
  output: Incident,
  call: async (deps, caller, { incident_id: id }) =>
    toldIncident(caller, await acknowledgeIncident(deps, caller.actor, id)),
});

export const suppressAnIncident = defineTool({
  name: "product_suppress_incident",
  title: "Suppress an incident",
  description:
    "Keep an incident silent for a while, with a reason that everybody sees. When it still fails after that it opens again and is told once.",
  scope: ["incidents:write"],
  isWrite: true,
  whenMissing: FIND_AN_INCIDENT,
  input: Type.Object({
    incident_id: Type.String({ format: "uuid" }),
    duration_seconds: Type.Integer({
      minimum: 1,
      maximum: MAX_SUPPRESS_SECONDS,
    }),
    reason: Type.String({ minLength: 1, maxLength: 500 }),
  }),
  output: Incident,
  call: async (deps, caller, { incident_id: id, ...wanted }) =>
    toldIncident(caller, await suppressIncident(deps, caller.actor, id, wanted)),
});

/** As many of the org's incidents as an answer has room for, newest first; by default those that have not ended. */
export async function toldIncidents(
  deps: Deps,
  caller: Caller,
  { status, ...query }: Pick<IncidentListQuery, "status" | "scenario" | "cursor"> = {},
): Promise<{ items: Static<typeof Incident>[]; next_cursor: string | null }> {
  const found: IncidentItem[] = [];
  let isMore = false;
  for (const one of status === undefined ? UNRESOLVED : [status]) {
    const page = await showIncidents(deps, caller.actor, { ...query, status: one, limit: MOST });
    found.push(...page.items);
    isMore ||= page.next_cursor !== null;
  }
  // Ids rise with time. Beyond so many, one status could lack what another one has.
  const newest = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MOST);
  const items = fitting(
    newest.map((incident) => toldIncident(caller, incident)),
    ANSWER_BYTES,
  );
  isMore ||= items.length < found.length;
  return { items, next_cursor: isMore ? writeIdCursor(items.at(-1)!.id) : null };
}

function toldIncident(caller: Caller, incident: IncidentItem): Static<typeof Incident> {
  const { id, type, status, severity, scenario_id, scenario_slug, region, trace_id } = incident;
  const { opened_at, acknowledged_at, suppressed_until, resolved_at, parent_incident_id } = incident;
  return {
    ...{ id, type, status, severity, scenario_id, scenario_slug: told(scenario_slug, 64), region, trace_id },
    ...{ opened_at, acknowledged_at, suppressed_until, resolved_at, parent_incident_id },
    suppress_reason: toldOrNull(incident.suppress_reason, 500),
    failure_signature: incident.failure_signature,
    headline: toldOrNull(incident.headline, 240),
    last_run_id: incident.last_run_id,
    trace_url: trace_id === null ? null : traceLink(caller, trace_id, null),
    next:
      trace_id === null ? "It has no failing trace." : `get_cause with trace ${trace_id} tells why it fails.`,
    url: `${caller.publicOrigin}/incidents/${id}`,
  };
}
