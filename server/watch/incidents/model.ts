import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { IncidentRow, TimelineRow } from "../../../store/records/incidents.ts";
import { toIso } from "../../platform/clock.ts";
import { oneOf } from "../../trace/model.ts";
import { INCIDENT_STATUSES, INCIDENT_TYPES, SEVERITIES, TIMELINE_KINDS } from "../alerts/state.ts";
import { AlertPolicy, GivenPolicy } from "../policy.ts";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Uuid = () => Type.String({ format: "uuid" });
const Time = () => Type.String({ format: "date-time" });

export const MAX_SUPPRESS_SECONDS = 30 * 24 * 60 * 60;

/** An incident as a list shows it. */
export const IncidentItem = Type.Object({
  id: Uuid(),
  type: oneOf(INCIDENT_TYPES),
  status: oneOf(INCIDENT_STATUSES),
  severity: oneOf(SEVERITIES),
  rules: Type.Array(oneOf(INCIDENT_TYPES), {
    description: "Every rule that has fired, that which opened it first.",
  }),
  scenario_id: Uuid(),
  scenario_slug: Type.String(),
  scenario_title: Type.String(),
  region: Type.String({ description: "`global` for an outage of several regions." }),
  opened_at: Time(),
  acknowledged_at: OrNull(Time()),
  acknowledged_by: OrNull(
    Type.String({ description: "Id of the person, or of the key that was used without one." }),
  ),
  suppressed_until: OrNull(Time()),
  suppress_reason: OrNull(Type.String()),
  resolved_at: OrNull(Time()),
  parent_incident_id: OrNull(Uuid()),
  failure_signature: OrNull(Type.String()),
  last_run_id: Uuid(),
  trace_id: OrNull(Type.String({ format: "uuid", description: "Of its last failure." })),
  headline: OrNull(Type.String({ description: "The cause of its last failure, in one sentence." })),
});
export type IncidentItem = Static<typeof IncidentItem>;

export const TimelineItem = Type.Object({
  at: Time(),
  kind: oneOf(TIMELINE_KINDS),
  actor: OrNull(Type.String({ description: "Who did it; null for what happened by itself." })),
  text: Type.String(),
  run_id: Type.Optional(Uuid()),
});

export const IncidentAnswer = Type.Composite([
  IncidentItem,
  Type.Object({
    timeline: Type.Array(TimelineItem, { description: "Oldest first; the last 500." }),
    children: Type.Array(IncidentItem, {
      description: "Of an outage of several regions: the incidents that it holds together.",
    }),
  }),
]);
export type IncidentAnswer = Static<typeof IncidentAnswer>;

export const IncidentList = Type.Object({
  items: Type.Array(IncidentItem),
  next_cursor: OrNull(Type.String()),
});

export const IncidentListQuery = Type.Object({
  status: Type.Optional(oneOf(INCIDENT_STATUSES)),
  type: Type.Optional(oneOf(INCIDENT_TYPES)),
  scenario: Type.Optional(Type.String({ maxLength: 64, description: "Id or slug." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 when absent." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type IncidentListQuery = Static<typeof IncidentListQuery>;

export const IncidentParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

export const Suppression = Type.Object(
  {
    duration_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SUPPRESS_SECONDS })),
    until: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601, at most 30 days from now." })),
    reason: Type.String({ minLength: 1, maxLength: 500 }),
  },
  { additionalProperties: false, examples: [{ duration_seconds: 7200, reason: "Known, being fixed" }] },
);
export type Suppression = Static<typeof Suppression>;

const ExplainedResult = Type.Object({
  run_id: Uuid(),
  region: Type.String(),
  kind: oneOf(["run", "shadow"] as const),
  status: oneOf(["passed", "failed", "error"] as const),
  at: Time(),
  duration_ms: Type.Integer(),
  trace_id: OrNull(Uuid()),
});

const ExplainedNotice = Type.Object({
  id: Uuid(),
  event: Type.String(),
  state: oneOf(["waiting", "handed_on", "superseded"] as const),
  created_at: Time(),
  due_at: Time(),
  handed_on_at: OrNull(Time()),
  superseded_at: OrNull(Time()),
  why: Type.String({ description: "Why it is due when it is, or why it is not told." }),
  channels: OrNull(
    Type.Array(Type.String(), {
      description:
        "Those that the policy named; null for all that are enabled. An end goes to those that were told of the beginning.",
    }),
  ),
  deliveries: Type.Array(
    Type.Object({
      id: Uuid(),
      channel: Type.String({ description: "Its name then." }),
      state: oneOf(["pending", "delivered", "dead"] as const),
      error: OrNull(Type.String()),
    }),
    { description: "What came of it over each channel." },
  ),
});

export const Explanation = Type.Object({
  incident_id: Uuid(),
  summary: Type.Array(Type.String(), { description: "What happened and why, a sentence each." }),
  policy: AlertPolicy,
  fired: Type.Array(
    Type.Object({
      rule: Type.String(),
      at: Time(),
      text: Type.String(),
      results: Type.Array(ExplainedResult, { description: "What it looked at, oldest first; the last 100." }),
    }),
  ),
  notices: Type.Array(ExplainedNotice),
});
export type Explanation = Static<typeof Explanation>;

export const PreviewRequest = Type.Object(
  {
    check_id: Type.Optional(Uuid()),
    scenario: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Id or slug." })),
    regions: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        ...{ minItems: 1, maxItems: 50, uniqueItems: true },
        description: "Those of the check when absent; needed with `scenario`.",
      }),
    ),
    alert_policy: GivenPolicy,
  },
  {
    additionalProperties: false,
    examples: [{ scenario: "checkout", regions: ["us-east-1"], alert_policy: { consecutive_failures: 3 } }],
  },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

export const Preview = Type.Object({
  policy: AlertPolicy,
  from: Time(),
  to: Time(),
  results: Type.Integer({ description: "That were looked at." }),
  is_whole: Type.Boolean({ description: "False when there were more results than are looked at." }),
  notices: Type.Integer({ description: "How often somebody would have been told." }),
  rules: Type.Array(
    Type.Object({
      rule: oneOf(INCIDENT_TYPES),
      opened: Type.Integer({ description: "Incidents that it would have opened." }),
      fired: Type.Integer({ description: "Incidents on which it would have fired, first or later." }),
    }),
  ),
  healed: Type.Integer({
    description:
      "How often `self_heal`, which opens nothing, would have noted a target that was found another way.",
  }),
  incidents: Type.Array(
    Type.Object({
      region: Type.String(),
      type: oneOf(INCIDENT_TYPES),
      opened_at: Time(),
      resolved_at: OrNull(Time()),
      text: Type.String(),
      run_id: Uuid(),
      trace_id: OrNull(Uuid()),
    }),
    { description: "Newest first; the last 200." },
  ),
});
export type Preview = Static<typeof Preview>;

const time = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

export function toIncident(
  row: IncidentRow,
  { scenario, headline }: { scenario: { slug: string; title: string }; headline: string | null },
): IncidentItem {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    severity: row.severity,
    rules: JSON.parse(row.rules) as IncidentItem["rules"],
    scenario_id: row.scenario_id,
    scenario_slug: scenario.slug,
    scenario_title: scenario.title,
    region: row.region,
    opened_at: toIso(row.opened_at),
    acknowledged_at: time(row.acknowledged_at),
    acknowledged_by: row.acknowledged_by,
    suppressed_until: time(row.suppressed_until),
    suppress_reason: row.suppress_reason,
    resolved_at: time(row.resolved_at),
    parent_incident_id: row.parent_incident_id,
    failure_signature: row.failure_signature,
    last_run_id: row.last_run_id,
    trace_id: row.trace_id,
    headline,
  };
}

export function toTimeline({
  at,
  kind,
  actor,
  text,
  run_id,
}: TimelineRow): IncidentAnswer["timeline"][number] {
  return {
    at: toIso(at),
    kind: kind as IncidentAnswer["timeline"][number]["kind"],
    actor,
    text,
    ...(run_id !== null && { run_id }),
  };
}
