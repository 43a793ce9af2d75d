import { type Static, Type } from "@sinclair/typebox";
import { oneOf } from "../../trace/model.ts";

export const INDICATORS = ["none", "minor", "major", "critical"] as const;
export type Indicator = (typeof INDICATORS)[number];
export const COMPONENT_STATUSES = [
  "operational",
  "degraded_performance",
  "partial_outage",
  "major_outage",
  "under_maintenance",
] as const;
export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];
const PROGRESS = ["investigating", "identified", "monitoring", "resolved"] as const;

export const MAINTENANCE_STATUSES = ["scheduled", "in_progress"] as const;

const Time = () => Type.String({ description: "ISO 8601." });

export const StatusParams = Type.Object({
  slug: Type.String({
    pattern: "^[a-z0-9][a-z0-9-]{0,63}$",
    description: "Of an org whose status is public.",
  }),
});

/** The summary of Statuspage's API, version 2. */
export const StatusSummary = Type.Object({
  page: Type.Object({
    id: Type.String(),
    name: Type.String(),
    url: Type.String(),
    time_zone: Type.String(),
    updated_at: Time(),
  }),
  status: Type.Object({ indicator: oneOf(INDICATORS), description: Type.String() }),
  components: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      status: oneOf(COMPONENT_STATUSES),
      position: Type.Integer(),
      group_id: Type.Null(),
      updated_at: Type.String({ description: "ISO 8601: its newest result." }),
    }),
    {
      description:
        "Scenarios that a check which is on runs, and that had a result of late. `status.description` says how many had none.",
    },
  ),
  incidents: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      status: Object.assign(oneOf(PROGRESS), {
        description: "`identified`: somebody has taken it on; `monitoring`: the newest runs passed again.",
      }),
      impact: oneOf(INDICATORS),
      created_at: Time(),
      updated_at: Time(),
      incident_updates: Type.Array(
        Type.Object({
          id: Type.String(),
          status: oneOf(PROGRESS),
          body: Type.String(),
          created_at: Time(),
        }),
      ),
    }),
    { description: "Those that have not ended." },
  ),
  scheduled_maintenances: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String({ description: "As the maintenance window is called." }),
      status: oneOf(MAINTENANCE_STATUSES),
      impact: oneOf(["maintenance"] as const),
      created_at: Time(),
      updated_at: Time(),
      scheduled_for: Time(),
      scheduled_until: Time(),
      incident_updates: Type.Array(
        Type.Object({
          id: Type.String(),
          status: oneOf(MAINTENANCE_STATUSES),
          body: Type.String(),
          created_at: Time(),
        }),
      ),
      components: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    }),
    {
      description:
        "What goes on now, and what begins within two weeks; of a window that comes again, the next time.",
    },
  ),
});
export type StatusSummary = Static<typeof StatusSummary>;
