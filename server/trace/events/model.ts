import { type Static, Type } from "@sinclair/typebox";

export const EventsQuery = Type.Object({
  kind: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: "A kind, several with commas between them, or beginnings that end in *: network.*",
    }),
  ),
  step: Type.Optional(Type.String({ maxLength: 1000, description: "Exact step_id." })),
  q: Type.Optional(Type.String({ maxLength: 1000, description: "Text in the stored line; see match." })),
  match: Type.Optional(
    Type.Union([Type.Literal("exact"), Type.Literal("loose")], {
      description:
        "How q is looked for. loose: in the values of the line only (not in field names, and in seq, ts, kind and ids only as a whole), a to z in either case while q has no capital.",
    }),
  ),
  from_seq: Type.Optional(Type.Integer({ minimum: 0, description: "First seq to look at." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 200 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
});
export type EventsQuery = Static<typeof EventsQuery>;

export const StreamQuery = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: -1, description: "Begin after this seq." })),
  live: Type.Optional(Type.String({ maxLength: 10, description: "Accepted; the stream is live anyway." })),
});

export const EventPageAnswer = Type.Object({
  events: Type.Array(
    Type.Object(
      {
        seq: Type.Integer(),
        ts: Type.Integer({ description: "Epoch milliseconds." }),
        kind: Type.String(),
        step_id: Type.Optional(Type.String()),
      },
      { additionalProperties: true },
    ),
  ),
  total: Type.Integer({ description: "Matches in the whole trace." }),
  next_offset: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "The `offset` of the page that follows, also where a page ends before `limit` because it has 8 MiB; null at the end.",
  }),
});
