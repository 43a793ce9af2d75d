import { type Static, Type } from "@sinclair/typebox";
import type { MaintenanceRow } from "../../../store/records/maintenance.ts";
import { toIso } from "../../platform/clock.ts";
import { spansOf } from "./windows.ts";

/** Of one org. */
export const MAX_WINDOWS = 200;
const TOLD = 5;

const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = () => Type.String({ description: "ISO 8601." });

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Timezone = Type.String({ minLength: 1, maxLength: 100, description: "IANA name; UTC when absent." });
const StartsAt = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d$",
  description: "Of a window that comes once: the wall clock time in the zone, as 2026-11-24T02:00.",
});
const Cron = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Of a window that comes again: five fields, such as `0 2 * * SUN`, for each beginning.",
});
const Minutes = Type.Integer({ minimum: 1, maximum: 7 * 24 * 60, description: "How long it lasts." });
const Scenarios = Type.Union(
  [Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 500 }), Type.Null()],
  { description: "Ids or slugs; null for all of the org, as when absent." },
);

export const NewMaintenance = Type.Object(
  {
    name: Name,
    timezone: Type.Optional(Timezone),
    starts_at: Type.Optional(StartsAt),
    cron: Type.Optional(Cron),
    duration_minutes: Minutes,
    scenarios: Type.Optional(Scenarios),
  },
  {
    additionalProperties: false,
    description: "One of `starts_at` and `cron`.",
    examples: [
      { name: "Weekly deploy", timezone: "Europe/Berlin", cron: "0 2 * * SUN", duration_minutes: 60 },
    ],
  },
);
export type NewMaintenance = Static<typeof NewMaintenance>;

export const MaintenanceUpdate = Type.Object(
  {
    name: Type.Optional(Name),
    timezone: Type.Optional(Timezone),
    starts_at: Type.Optional(StartsAt),
    cron: Type.Optional(Cron),
    duration_minutes: Type.Optional(Minutes),
    scenarios: Type.Optional(Scenarios),
  },
  {
    additionalProperties: false,
    description:
      "What is left out stays as it is; `starts_at` takes the place of `cron`, and the other way round.",
  },
);
export type MaintenanceUpdate = Static<typeof MaintenanceUpdate>;

export const MaintenanceAnswer = Type.Object({
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  timezone: Type.String(),
  starts_at: OrNull(Type.String()),
  cron: OrNull(Type.String()),
  duration_minutes: Type.Integer(),
  scenarios: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "Ids; null for all of the org.",
  }),
  active: Type.Boolean({ description: "Whether it goes on now." }),
  next: Type.Array(Type.Object({ from: Time(), to: Time() }), {
    description: "The next five times, the one that goes on among them.",
  }),
  created_at: Time(),
  updated_at: Time(),
});
export type MaintenanceAnswer = Static<typeof MaintenanceAnswer>;

export const MaintenanceList = Type.Object({ items: Type.Array(MaintenanceAnswer) });

/** @param now epoch ms */
export function toMaintenance(row: MaintenanceRow, now: number): MaintenanceAnswer {
  const next = spansOf(row, now, row.cron === null ? 1 : TOLD);
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    starts_at: row.starts_at,
    cron: row.cron,
    duration_minutes: row.duration_minutes,
    scenarios: row.scenario_ids === null ? null : (JSON.parse(row.scenario_ids) as string[]),
    active: next[0] !== undefined && next[0].from <= now,
    next: next.map(({ from, to }) => ({ from: toIso(from), to: toIso(to) })),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}
