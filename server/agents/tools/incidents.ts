import { type Static, Type } from "@sinclair/typebox";
import { told, toldOrNull } from "../../trace/fit.ts";
import { oneOf } from "../../trace/model.ts";
import { INCIDENT_STATUSES } from "../../watch/alerts/state.ts";
import { type IncidentItem, MAX_SUPPRESS_SECONDS } from "../../watch/incidents/model.ts";
import { acknowledgeIncident, suppressIncident } from "../../watch/incidents/service.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { traceLink } from "../trace-reference.ts";
import { Text, TextOrNull, Url } from "./shared.ts";

const FIND_AN_INCIDENT = "The resource product://incidents/{orgId} lists the incidents that have not ended.";

const Incident = Type.Object({
  ...{ id: Text, type: Text, status: oneOf(INCIDENT_STATUSES), severity: Text },
  ...{ scenario_id: Text, scenario_slug: Text, region: Text, opened_at: Text },
  ...{ acknowledged_at: TextOrNull, suppressed_until: TextOrNull, suppress_reason: TextOrNull },
  ...{ resolved_at: TextOrNull, parent_incident_id: TextOrNull, failure_signature: TextOrNull },
  ...{ last_run_id: Text, trace_id: TextOrNull, trace_url: TextOrNull },
  next: Text,
  url: Url,
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

export function toldIncident(caller: Caller, incident: IncidentItem): Static<typeof Incident> {
  const { id, type, status, severity, scenario_id, scenario_slug, region, trace_id } = incident;
  const { opened_at, acknowledged_at, suppressed_until, resolved_at, parent_incident_id } = incident;
  return {
    ...{ id, type, status, severity, scenario_id, scenario_slug: told(scenario_slug, 64), region, trace_id },
    ...{ opened_at, acknowledged_at, suppressed_until, resolved_at, parent_incident_id },
    suppress_reason: toldOrNull(incident.suppress_reason, 500),
    failure_signature: incident.failure_signature,
    last_run_id: incident.last_run_id,
    trace_url: trace_id === null ? null : traceLink(caller, trace_id, null),
    next:
      trace_id === null ? "It has no failing trace." : `get_cause with trace ${trace_id} tells why it fails.`,
    url: `${caller.publicOrigin}/incidents/${id}`,
  };
}
