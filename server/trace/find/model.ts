import { type Static, Type } from "@sinclair/typebox";

export const FindQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "Text; a to z in either case while it has no capital.",
  }),
  after: Type.Optional(
    Type.String({
      pattern: "^(pages|bodies)\\.\\d{1,9}$",
      description: "Where to look on: `next` of the answer before.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 100,
      description: "Hits after which it looks no further.",
    }),
  ),
});
export type FindQuery = Static<typeof FindQuery>;

/** Where a search goes on: pages come first, by the block that they are stored in, then bodies. */
export interface Place {
  kind: "pages" | "bodies";
  at: number;
}

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
          description:
            "The event that names the body first, or tells of the recorded page: what it is called by, without its contents.",
        },
      ),
      field: Type.String({
        description:
          "Field of the event that holds the reference; of a recorded page the element (`<td>`) or attribute that has the text.",
      }),
      reference: Type.Union([Type.String(), Type.Null()], {
        description: "sha256:<hex> of the body; null for a page of a Playwright archive.",
      }),
      media_type: nullable(Type.String()),
      excerpt: Type.Object({ before: Type.String(), match: Type.String(), after: Type.String() }),
      place: Type.Union([Type.Integer(), Type.Null()], {
        description: "Bytes of the body before the first match; null for a recorded page.",
      }),
      count: Type.Integer({ description: "Matches in it, counted up to 100." }),
    }),
  ),
  searched: Type.Integer({ description: "Bodies passed by now, over all answers." }),
  total: Type.Integer({ description: "Bodies that may be text, each once." }),
  pages_searched: Type.Integer({ description: "Recorded pages passed by now, over all answers." }),
  pages_total: Type.Integer({
    description: "Pages that the Playwright archive recorded, those of frames too.",
  }),
  too_large: Type.Integer({
    description: "Of all bodies, those over 64 MB, of which the first 64 MB are searched.",
  }),
  unreadable: Type.Integer({
    description:
      "Bodies and parts of the recording that this answer passed over, since their bytes are gone or damaged.",
  }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: "Pass it as after to search on; null when all were searched.",
  }),
});
export type FindAnswer = Static<typeof FindAnswer>;
