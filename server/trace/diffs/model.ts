import { type Static, Type } from "@sinclair/typebox";
import { DIMENSIONS } from "../format/diff/types.ts";
import { oneOf } from "../model.ts";

const COMPARED = ["steps", "network", "dom", "clone", "console"] as const;

export const DiffQuery = Type.Object({
  a: Type.String({ format: "uuid", description: "The source: what went well, or what was replayed." }),
  b: Type.String({
    format: "uuid",
    description: "What is compared with it: the failed trace, or the replay.",
  }),
  dimension: Type.Optional({
    ...oneOf(DIMENSIONS),
    description: "overview when absent: it counts all the others.",
  }),
  raw: Type.Optional({
    ...oneOf(["true", "false", "1", "0"]),
    description:
      "Tell what was replaced as well: aligned in the same way, but ids, times, ports and values of queries differ.",
  }),
});
export type DiffQuery = Static<typeof DiffQuery>;

const Side = Type.Object(
  {
    seq: Type.Optional(Type.Integer({ description: "Of the event to go to." })),
    ts: Type.Optional(Type.Number({ description: "Epoch milliseconds." })),
    step_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: true, description: "Where in that trace, and what was there; by dimension." },
);

const ITEM = {
  key: Type.String({ description: "What is compared, with everything that varies between runs replaced." }),
  change: oneOf(["added", "removed", "changed", "same"]),
  a: Type.Optional(Side),
  b: Type.Optional(Side),
  detail: Type.Optional(
    Type.Object(
      {
        differences: Type.Optional(
          Type.Array(
            Type.Object({
              path: Type.String({ description: "JSON Pointer, such as /status or /response_body/total." }),
              a: Type.Optional(Type.Unknown()),
              b: Type.Optional(Type.Unknown()),
            }),
          ),
        ),
        now: Type.Optional(oneOf(["failing", "passing"])),
        times: Type.Optional(Type.Object({ a: Type.Integer(), b: Type.Integer() })),
        not_compared: Type.Optional(
          Type.String({
            description:
              "Of which trace only the beginning was compared, as it has more than can be held: with the last item, and in the overview.",
          }),
        ),
      },
      { additionalProperties: true },
    ),
  ),
};

export const DiffAnswer = Type.Object({
  a: Type.String({ format: "uuid" }),
  b: Type.String({ format: "uuid" }),
  dimension: oneOf(DIMENSIONS),
  first_divergence: Type.Union([Type.Object({ dimension: oneOf(COMPARED), ...ITEM }), Type.Null()], {
    description: "The earliest item that is not the same, by the aligned steps.",
  }),
  summary: Type.Object(
    { added: Type.Integer(), removed: Type.Integer(), changed: Type.Integer(), same: Type.Integer() },
    { description: "Of everything compared, also of what is not among the items." },
  ),
  items: Type.Array(Type.Object(ITEM), {
    description:
      "At most 500, in the order of the steps: differences first of all, then what is the same around them.",
  }),
});
