import { type Static, Type } from "@sinclair/typebox";

export const FindQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "Text; a to z in either case while it has no capital.",
  }),
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: "Bodies to pass over: `next` of the answer before." }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 100, description: "Hits at most." }),
  ),
});
export type FindQuery = Static<typeof FindQuery>;

const nullable = <Schema extends ReturnType<typeof Type.String>>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const FindAnswer = Type.Object({
  hits: Type.Array(
    Type.Object({
      event: Type.Object(
        {
          seq: Type.Integer(),
          ts: Type.Integer({ description: "Epoch milliseconds." }),
          kind: Type.String(),
        },
        {
          additionalProperties: true,
          description: "The event that names the body first: what it is called by, without its contents.",
        },
      ),
      field: Type.String({ description: "Field of the event that holds the reference." }),
      reference: Type.String({ description: "sha256:<hex>" }),
      media_type: nullable(Type.String()),
      excerpt: Type.Object({ before: Type.String(), match: Type.String(), after: Type.String() }),
      place: Type.Integer({ description: "Bytes before the first match." }),
      count: Type.Integer({ description: "Matches in it, counted up to 100." }),
    }),
  ),
  searched: Type.Integer({ description: "Bodies passed by now, over all pages." }),
  total: Type.Integer({ description: "Bodies that may be text, each once." }),
  too_large: Type.Integer({ description: "Of all of them, those over 2 MB, which are not searched." }),
  next: Type.Union([Type.Integer(), Type.Null()], {
    description: "Pass it as after to search on; null when all were searched.",
  }),
});
export type FindAnswer = Static<typeof FindAnswer>;
