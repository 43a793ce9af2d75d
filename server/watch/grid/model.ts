import { type Static, Type } from "@sinclair/typebox";
import { oneOf } from "../../trace/model.ts";

const OrNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const CELL_STATUSES = [
  "passing",
  "degraded",
  "failing",
  "no_data",
  "paused",
  "suppressed",
  "running",
] as const;
export type CellStatus = (typeof CELL_STATUSES)[number];

export const Cell = Type.Object({
  scenario_id: Type.String({ format: "uuid" }),
  region: Type.String(),
  status: Object.assign(oneOf(CELL_STATUSES), {
    description:
      "The first that holds: `paused`; `suppressed`: its incident is silenced; `failing`, `degraded` (slow, or drift): it has an incident; `running`; `no_data`: the newest fire was left out, its run could not be made, or there was none; else what its newest run found.",
  }),
  last_run_id: OrNull(Type.String({ format: "uuid" })),
  last_run_at: OrNull(Type.String({ description: "ISO 8601: when it ended." })),
  p50_ms: OrNull(Type.Integer({ description: "Of the passed runs among its last 100 results." })),
  p99_ms: OrNull(Type.Integer()),
  incident_id: OrNull(
    Type.String({ format: "uuid", description: "The unresolved one; the outage where that holds it." }),
  ),
  history: Type.Array(oneOf(CELL_STATUSES), {
    maxItems: 30,
    description:
      "What came of the last fires, oldest first. Fires in a row that were left out are one `no_data`.",
  }),
});
export type Cell = Static<typeof Cell>;

export const Grid = Type.Object({
  generated_at: Type.String({ description: "ISO 8601." }),
  regions: Type.Array(Type.String()),
  scenarios: Type.Array(
    Type.Object({ id: Type.String({ format: "uuid" }), slug: Type.String(), title: Type.String() }),
  ),
  cells: Type.Array(Cell, { description: "Only those that a check which is on runs in." }),
});
export type Grid = Static<typeof Grid>;
