import { type Static, Type } from "@sinclair/typebox";
import { oneOf } from "../../trace/model.ts";
import { Slo } from "../checks/model.ts";

/** Windows that history is told of, with the hours of a point of it. */
export const WINDOWS = { "1": 1, "7": 1, "30": 6, "90": 24 } as const;
const DAYS = ["1", "7", "30", "90"] as const satisfies (keyof typeof WINDOWS)[];

const Ms = (description?: string) => Type.Integer(description === undefined ? {} : { description });
const OrNull = <T extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Count = () => Type.Integer({ minimum: 0 });

const FIGURES = {
  availability_percent: OrNull(
    Type.Number({
      description: "Up, of the time that was up or down. Null where nothing was measured: that is not 100.",
    }),
  ),
  up_ms: Ms("The newest run had passed."),
  down_ms: Ms("The newest run had failed."),
  maintenance_ms: Ms("A maintenance window went on: neither up nor down."),
  paused_ms: Ms("It was paused or switched off: neither up nor down."),
  no_data_ms: Ms("Nothing was known: fires were left out, or runs could not be made."),
  passed: Count(),
  failed: Count(),
  errors: Count(),
  p50_ms: OrNull(Type.Integer({ description: "Of passed runs, within 1 %; null where none passed." })),
  p95_ms: OrNull(Type.Integer()),
  p99_ms: OrNull(Type.Integer()),
};

const Point = Type.Object({ at: Type.String({ description: "ISO 8601: its beginning." }), ...FIGURES });
export type Point = Static<typeof Point>;
const Points = Type.Array(Point, { description: "The window in parts of the same length, oldest first." });
const Figures = Type.Object(FIGURES);
export type Figures = Static<typeof Figures>;

export const AvailabilityQuery = Type.Object({
  days: Type.Optional(
    Object.assign(oneOf(DAYS), { description: "How many; 7 when absent. Points have 1, 1, 6 or 24 hours." }),
  ),
});
export type AvailabilityQuery = Static<typeof AvailabilityQuery>;

export const Availability = Type.Object({
  check_id: Type.String({ format: "uuid" }),
  from: Type.String({ description: "ISO 8601, a full hour; or when the check was made." }),
  to: Type.String({ description: "ISO 8601: now." }),
  point_seconds: Type.Integer(),
  is_whole: Type.Boolean({ description: "Whether all that is kept was looked at." }),
  total: Type.Object(
    { ...FIGURES, points: Points },
    { description: "Its regions together; each counts alike." },
  ),
  regions: Type.Array(Type.Object({ region: Type.String(), ...FIGURES, points: Points })),
});
export type Availability = Static<typeof Availability>;

export const SLO_STATES = ["ok", "slow_burn", "fast_burn", "exhausted", "no_data"] as const;

/** Hours in which the burn rate is told, with the rate from which on it is fast or slow (Google SRE workbook, chapter 5, table 5-8). */
export const BURN_WINDOWS = [
  { hours: 1, limit: 14.4, state: "fast_burn" },
  { hours: 6, limit: 6, state: "fast_burn" },
  { hours: 72, limit: 1, state: "slow_burn" },
] as const;

export const SloAnswer = Type.Object({
  check_id: Type.String({ format: "uuid" }),
  slo: Slo,
  from: Type.String({ description: "ISO 8601." }),
  to: Type.String({ description: "ISO 8601: now." }),
  state: Object.assign(oneOf(SLO_STATES), {
    description:
      "The first that holds. `no_data`: nothing was measured; `exhausted`: no budget is left; `fast_burn`, `slow_burn`: a burn rate is at its limit or above; else `ok`.",
  }),
  availability_percent: OrNull(Type.Number({ description: "Up, of the time that was up or down." })),
  measured_ms: Ms("The time that was up or down, of all regions together."),
  budget: Type.Object({
    total_ms: Ms("How long it may be down: the part of the measured time that is not promised."),
    spent_ms: Ms("How long it was down."),
    left_ms: Ms("Less than 0 when more was spent than there is."),
    left_percent: OrNull(Type.Number()),
  }),
  burn_rates: Type.Array(
    Type.Object({
      hours: Type.Integer(),
      rate: OrNull(
        Type.Number({
          description:
            "How many times as fast the budget goes as would use it up at the end of the window; null where nothing was measured.",
        }),
      ),
      limit: Type.Number({ description: "From which on somebody should look." }),
    }),
  ),
  exhausted_at: Type.Union([Type.String(), Type.Null()], {
    description:
      "ISO 8601: when nothing is left, at the pace of the last 72 hours; null when that will not be so.",
  }),
  regions: Type.Array(
    Type.Object({
      region: Type.String(),
      availability_percent: FIGURES.availability_percent,
      down_ms: FIGURES.down_ms,
    }),
  ),
});
export type SloAnswer = Static<typeof SloAnswer>;
