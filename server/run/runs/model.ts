import { type Static, Type } from "@sinclair/typebox";
import type { RunRow } from "../../../store/records/runs.ts";
import { REGION_NAME } from "../../../store/settings-schema.ts";
import { toIso } from "../../platform/clock.ts";
import { Headline, oneOf } from "../../trace/model.ts";

export const RUN_TYPES = ["pr", "schedule", "manual", "shadow_diff"] as const;
export const RUN_STATUSES = ["queued", "running", "passed", "failed", "error", "aborted"] as const;

const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);
const Uuid = () => Type.String({ format: "uuid" });
const Time = () => Type.String({ description: "ISO 8601." });

export const ManualRun = Type.Object(
  {
    scenarioId: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Id or slug of a scenario that was synced.",
    }),
    region: Type.Optional(
      Type.String({
        pattern: REGION_NAME,
        description: "A hosted one or one of settings.json; us-east-1 when absent.",
      }),
    ),
    baseUrl: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: "An http(s) address; the scenario's own when absent.",
      }),
    ),
    type: Type.Optional(
      Object.assign(oneOf(["manual", "shadow_diff"] as const), {
        description:
          "`shadow_diff` runs the scenario three times, to tell what its clones answer otherwise than production; the answer is the run with clones.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ManualRun = Static<typeof ManualRun>;

export const RegionList = Type.Object({
  items: Type.Array(
    Type.Object({
      name: Type.String(),
      is_default: Type.Boolean({ description: "Whether a run that names none is made from it." }),
      locale: Type.Union([Type.String(), Type.Null()], {
        description: "As its profile in settings.json says; null where that says nothing.",
      }),
      timezone: OrNull(Type.String()),
    }),
  ),
});
export type RegionList = Static<typeof RegionList>;

export const RunAnswer = Type.Object({
  id: Uuid(),
  type: oneOf(RUN_TYPES),
  status: oneOf(RUN_STATUSES),
  scenario_id: Uuid(),
  scenario_slug: Type.String(),
  region: Type.String(),
  base_url: OrNull(Type.String()),
  trace_id: OrNull(Uuid()),
  trigger: Type.String({ description: "What asked for it: api, cli, schedule, …" }),
  attempt: Type.Integer(),
  parent_run_id: OrNull(Uuid()),
  check_id: OrNull(Type.String({ format: "uuid", description: "The scheduled check whose fire it is for." })),
  pr: Type.Optional(
    Type.Object({
      number: Type.Integer(),
      base_sha: Type.String(),
      head_sha: Type.String(),
      repo: Type.String(),
    }),
  ),
  affected_scenarios: Type.Optional(Type.Array(Type.String())),
  scheduled_at: Time(),
  started_at: OrNull(Time()),
  ended_at: OrNull(Time()),
  duration_ms: Type.Integer(),
  failure_signature: OrNull(Type.String()),
  headline: Headline,
  healed: Type.Array(
    Type.Object({
      step_id: Type.String(),
      from: Type.String({ description: "The target as the scenario names it." }),
      to: Type.String({ description: "The element that was taken for it." }),
      why: Type.String(),
    }),
    { description: "Targets that were not there, and were found by what earlier passes saw of them." },
  ),
  error: Type.Union([Type.Object({ reason: OrNull(Type.String()), message: Type.String() }), Type.Null()], {
    description: "Why it did not pass; `reason` is set where the fault was not the target's.",
  }),
});
export type RunAnswer = Static<typeof RunAnswer>;

export const RunList = Type.Object({ items: Type.Array(RunAnswer), next_cursor: OrNull(Type.String()) });

export const RunListQuery = Type.Object({
  type: Type.Optional(oneOf(RUN_TYPES)),
  status: Type.Optional(oneOf(RUN_STATUSES)),
  scenario: Type.Optional(Type.String({ maxLength: 64, description: "Id or slug." })),
  check: Type.Optional(Type.String({ format: "uuid", description: "Id of a scheduled check." })),
  repo: Type.Optional(Type.String({ maxLength: 200, description: "owner/name" })),
  from: Type.Optional(Type.String({ description: "ISO 8601, of the time it was meant for; included." })),
  to: Type.Optional(Type.String({ description: "ISO 8601; excluded." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 when absent." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type RunListQuery = Static<typeof RunListQuery>;

export const RunSteps = Type.Object({
  title: Type.String({ description: "Of the scenario, as it was run." }),
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      source: Type.String({ description: "The step as it is written." }),
      from: OrNull(Type.String()),
    }),
  ),
});
export type RunSteps = Static<typeof RunSteps>;

export const RUN_ARTIFACT_KINDS = ["screenshot", "video", "har", "trace", "rrweb", "report", "log"] as const;
export type RunArtifactKind = (typeof RUN_ARTIFACT_KINDS)[number];

export const RunArtifact = Type.Object({
  url: Type.String({ description: "Needs no credential." }),
  expires_at: Time(),
  content_type: Type.String(),
  size_bytes: Type.Integer({ description: "As it is now; what is made on request may grow with the run." }),
});
export type RunArtifact = Static<typeof RunArtifact>;

export const RunArtifactList = Type.Object({
  items: Type.Array(Type.Composite([Type.Object({ kind: oneOf(RUN_ARTIFACT_KINDS) }), RunArtifact])),
});

const time = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/** @param told what the run's trace tells; nothing without one */
export function toRun(
  row: RunRow,
  told: Pick<RunAnswer, "failure_signature" | "headline"> = { failure_signature: null, headline: null },
): RunAnswer {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    scenario_id: row.scenario_id,
    scenario_slug: row.scenario_slug,
    region: row.region,
    base_url: row.base_url,
    trace_id: row.trace_id,
    trigger: row.trigger,
    attempt: row.attempt,
    parent_run_id: row.parent_run_id,
    check_id: row.check_id,
    ...(row.pr !== null && { pr: JSON.parse(row.pr) as RunAnswer["pr"] }),
    ...(row.affected_scenarios !== null && {
      affected_scenarios: JSON.parse(row.affected_scenarios) as string[],
    }),
    scheduled_at: toIso(row.scheduled_at),
    started_at: time(row.started_at),
    ended_at: time(row.ended_at),
    duration_ms: row.duration_ms,
    failure_signature: told.failure_signature,
    headline: told.headline,
    healed: row.heals === null ? [] : (JSON.parse(row.heals) as RunAnswer["healed"]),
    error: row.error_message === null ? null : { reason: row.error_reason, message: row.error_message },
  };
}
