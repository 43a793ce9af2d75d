import { type Static, Type } from "@sinclair/typebox";
import { ScenarioRef } from "../histories/model.ts";
import { Headline, nullable, oneOf, SOURCES, STATUSES, time } from "../model.ts";

export const SORTS = ["last_seen", "count"] as const;

/** In how many equal parts of the period failures are counted. */
export const PARTS = 30;

export const FAILURE_STATES = ["new", "ongoing", "resolved"] as const;

export const FailureListQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "ISO 8601; failed at or after. 30 days before `to` unless given.",
    }),
  ),
  to: Type.Optional(
    Type.String({ maxLength: 40, description: "ISO 8601; failed before. Now unless given." }),
  ),
  scenario: Type.Optional(Type.String({ maxLength: 64, description: "Id or slug of a scenario." })),
  source: Type.Optional(oneOf(SOURCES)),
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'Words, "a phrase" and word* that failure message and scenario title must have.',
    }),
  ),
  state: Type.Optional({
    ...oneOf(FAILURE_STATES),
    description: "A page may then have fewer groups than its limit, or none, with others after it.",
  }),
  sort: Type.Optional(oneOf(SORTS)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: "next_cursor of the page before; it holds the period of the first page.",
    }),
  ),
});
export type FailureListQuery = Static<typeof FailureListQuery>;

const STATE = `\`resolved\`: every scenario concerned passed after its last failure with this signature.
\`new\`: not resolved, and first seen in the period. \`ongoing\`: the rest.`;

export const FailureGroup = Type.Object({
  signature: Type.String(),
  message: nullable(Type.String({ description: "Of the last trace, its first 1,000 characters." })),
  step: nullable(
    Type.String({
      description:
        "Title of the step that failed in the last trace, its first 300 characters; null where none failed and for traces read before it was kept.",
    }),
  ),
  count: Type.Integer({ description: "Traces of the period." }),
  state: Type.Unsafe<(typeof FAILURE_STATES)[number]>({
    ...oneOf(FAILURE_STATES),
    description: STATE,
  }),
  first_seen: time("Of all traces kept, also before the period."),
  last_seen: time("In the period."),
  histogram: Type.Array(Type.Integer(), {
    description: `Traces in each of ${PARTS} equal parts of the period, oldest first. Parts of six hours and more begin on whole hours (UTC).`,
  }),
  scenarios: Type.Array(
    Type.Composite([
      ScenarioRef,
      Type.Object({ count: Type.Integer(), last_seen: time("In the period."), is_resolved: Type.Boolean() }),
    ]),
    { description: "Those with most of the traces, 20 at most." },
  ),
  scenario_count: Type.Integer(),
  last_trace: Type.Object({
    id: Type.String({ format: "uuid" }),
    short_id: Type.String(),
    status: oneOf(STATUSES),
    scenario_slug: Type.String(),
    scenario_title: Type.String(),
    code_sha: nullable(Type.String()),
    headline: Headline,
  }),
});
export type FailureGroup = Static<typeof FailureGroup>;

export const FailureList = Type.Object({
  from: time("Begin of the period."),
  to: time("End of the period."),
  items: Type.Array(FailureGroup),
  next_cursor: nullable(Type.String()),
});
export type FailureList = Static<typeof FailureList>;
