import { type Static, Type } from "@sinclair/typebox";
import type { CheckRow } from "../../../store/records/checks.ts";
import { REGION_NAME } from "../../../store/settings-schema.ts";
import { toIso } from "../../platform/clock.ts";
import { RUN_STATUSES } from "../../run/runs/model.ts";
import { oneOf } from "../../trace/model.ts";
import { AlertPolicy, GivenPolicy, policyOf } from "../policy.ts";

const MAX_REGIONS = 50;
export const MAX_PAUSE_HOURS = 720;

const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);
const Uuid = () => Type.String({ format: "uuid" });
const Time = (description = "ISO 8601.") => Type.String({ description });

const Cron = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Five fields, or `@hourly`; 1 to 60 minutes lie between two fires. `*/5 * * * *` when absent.",
});
const Timezone = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "IANA name; UTC when absent. Fires follow absolute time when its clocks change.",
});
const Regions = Type.Array(Type.String({ pattern: REGION_NAME }), {
  minItems: 1,
  maxItems: MAX_REGIONS,
  uniqueItems: true,
  description: "Each fire is one run per region. The region that runs name by themselves when absent.",
});
const ShadowProd = Type.Boolean({ description: "Whether drift from the clones is looked for." });
const Enabled = Type.Boolean({ description: "Whether its fires are run. On needs a recorded preflight." });

/** OpenSLO v1: `targetPercent` of an objective, and the days of a rolling `timeWindow`. */
export const Slo = Type.Object(
  {
    target_percent: Type.Number({
      exclusiveMinimum: 0,
      exclusiveMaximum: 100,
      description: "How much of the time that is measured the check is to be up, such as 99.9.",
    }),
    window_days: Type.Integer({
      minimum: 1,
      maximum: 90,
      description: "How far the rolling window reaches.",
    }),
  },
  { additionalProperties: false },
);
export type Slo = Static<typeof Slo>;

const FIELDS = {
  cron: Type.Optional(Cron),
  timezone: Type.Optional(Timezone),
  regions: Type.Optional(Regions),
  shadow_prod: Type.Optional(ShadowProd),
  alert_policy: Type.Optional(GivenPolicy),
  enabled: Type.Optional(Enabled),
  slo: Type.Optional(
    Type.Union([Slo, Type.Null()], {
      description: "What is promised of it; null, as when absent, for nothing.",
    }),
  ),
};

export const NewCheck = Type.Object(
  {
    scenario_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Id or slug of a scenario that was synced.",
    }),
    ...FIELDS,
  },
  { additionalProperties: false },
);
export type NewCheck = Static<typeof NewCheck>;

export const CheckUpdate = Type.Object(FIELDS, {
  additionalProperties: false,
  description: "What is left out stays as it is; `alert_policy` replaces the one that was there, whole.",
});
export type CheckUpdate = Static<typeof CheckUpdate>;

export const Pause = Type.Object(
  {
    hours: Type.Optional(
      Type.Number({ minimum: 0, maximum: MAX_PAUSE_HOURS, description: "From now on; 0 resumes." }),
    ),
    until: Type.Optional(
      Type.String({ maxLength: 40, description: "ISO 8601, instead of `hours`; at most 720 hours ahead." }),
    ),
  },
  { additionalProperties: false, description: "One of both fields.", examples: [{ hours: 2 }] },
);
export type Pause = Static<typeof Pause>;

export const CheckAnswer = Type.Object({
  id: Uuid(),
  scenario_id: Uuid(),
  scenario_slug: Type.String(),
  scenario_title: Type.String(),
  cron: Type.String(),
  timezone: Type.String(),
  regions: Type.Array(Type.String()),
  shadow_prod: Type.Boolean(),
  alert_policy: AlertPolicy,
  slo: Type.Union([Slo, Type.Null()], { description: "What is promised of it; null for nothing." }),
  enabled: Type.Boolean(),
  origin: Object.assign(oneOf(["api", "file"] as const), {
    description: "`file`: the `schedule` of the scenario's file made it, and changes it when it changes.",
  }),
  paused_until: OrNull(Time("ISO 8601; null when it is not paused.")),
  next_run_at: OrNull(Time("ISO 8601, the next fire that is run; null while it is not enabled.")),
  last_run_at: OrNull(Time("ISO 8601, the newest fire that was run.")),
  last_runs: Type.Array(
    Type.Object({
      region: Type.String(),
      run_id: Uuid(),
      status: oneOf(RUN_STATUSES),
      scheduled_at: Time(),
    }),
    { description: "The newest run of each of its regions that has one." },
  ),
  created_at: Time(),
  updated_at: Time(),
});
export type CheckAnswer = Static<typeof CheckAnswer>;

export const CheckList = Type.Object({ items: Type.Array(CheckAnswer), next_cursor: OrNull(Type.String()) });

export const CheckListQuery = Type.Object({
  scenario: Type.Optional(Type.String({ maxLength: 64, description: "Id or slug." })),
  enabled: Type.Optional(oneOf(["true", "false", "1", "0"] as const)),
  channel: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Only checks whose alert policy names this notification channel.",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 when absent." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type CheckListQuery = Static<typeof CheckListQuery>;

export const FiresQuery = Type.Object({
  cron: Type.Optional(Cron),
  timezone: Type.Optional(Timezone),
  from: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601; now when absent." })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "5 when absent." })),
});
export type FiresQuery = Static<typeof FiresQuery>;

export const Fires = Type.Object({
  fires: Type.Array(
    Type.Object({
      at: Time("ISO 8601, UTC."),
      local: Type.String({ description: "As clocks in the zone show it, with their offset." }),
    }),
  ),
  warnings: Type.Array(Type.String(), {
    description: "Where clocks of the zone change before the last of these fires, in a sentence each.",
  }),
});
export type Fires = Static<typeof Fires>;

const time = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/** What an answer tells besides the check itself. */
export interface CheckContext {
  scenario: { slug: string; title: string };
  lastRuns: CheckAnswer["last_runs"];
  slo: Slo | null;
  /** Epoch ms: a pause that is over is none. */
  now: number;
}

export function toCheck(row: CheckRow, { scenario, lastRuns, slo, now }: CheckContext): CheckAnswer {
  return {
    id: row.id,
    scenario_id: row.scenario_id,
    scenario_slug: scenario.slug,
    scenario_title: scenario.title,
    cron: row.cron,
    timezone: row.timezone,
    regions: JSON.parse(row.regions) as string[],
    shadow_prod: row.shadow_prod === 1,
    alert_policy: policyOf(row),
    slo,
    enabled: row.enabled === 1,
    origin: row.origin,
    paused_until: time(row.paused_until !== null && row.paused_until > now ? row.paused_until : null),
    next_run_at: time(row.next_run_at),
    last_run_at: time(row.last_run_at),
    last_runs: lastRuns,
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}
