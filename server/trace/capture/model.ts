import { type Static, Type } from "@sinclair/typebox";

/** What a bundle's manifest.json says; checked by the same rules. */
export const CaptureManifest = Type.Object({
  version: Type.Literal(1),
  scenario: Type.Object({
    slug: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,63}$" }),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
  }),
  started_at: Type.Optional(Type.String({ description: "ISO 8601; now when absent." })),
  code_sha: Type.Optional(Type.String()),
  source: Type.Optional(
    Type.Union([
      Type.Literal("pr"),
      Type.Literal("schedule"),
      Type.Literal("manual"),
      Type.Literal("shadow_diff"),
    ]),
  ),
  pr_number: Type.Optional(Type.Integer({ minimum: 1 })),
  run_id: Type.Optional(Type.String()),
  attempt: Type.Optional(Type.Integer({ minimum: 1, description: "Which try of the run it is." })),
  region: Type.Optional(Type.String()),
  env: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  status: Type.Optional(Type.String({ description: "Of no effect: `end` says how it ended, and when." })),
  ended_at: Type.Optional(Type.String()),
});

export const CaptureStarted = Type.Object({
  trace_id: Type.String({ format: "uuid" }),
  short_id: Type.String(),
  urls: Type.Object(
    {
      chunks: Type.String({ description: "POST with ?n=0, 1, 2 …: zstd-compressed NDJSON." }),
      blobs: Type.String({
        description: "POST several as a tar archive, or PUT one below it: …/<sha256 hex>.",
      }),
      artifacts: Type.String({ description: "PUT below it: …/<kind>." }),
      end: Type.String({ description: "POST once, when the run is over." }),
    },
    { description: "Absolute addresses." },
  ),
});
export type CaptureStarted = Static<typeof CaptureStarted>;

export const ChunkQuery = Type.Object({
  n: Type.Integer({ minimum: 0, description: "Number of the chunk, from 0, without gaps." }),
});

export const ChunkTaken = Type.Object({
  trace_id: Type.String(),
  next_chunk: Type.Integer({ description: "The number that is expected next." }),
  last_seq: Type.Union([Type.Integer(), Type.Null()]),
});
export type ChunkTaken = Static<typeof ChunkTaken>;

export const BlobTaken = Type.Object({ hash: Type.String(), size: Type.Integer() });
export type BlobTaken = Static<typeof BlobTaken>;

export const BlobsTaken = Type.Object({ blobs: Type.Array(BlobTaken) });
export type BlobsTaken = Static<typeof BlobsTaken>;

/** The kinds of `signed_urls` but the events, which come as chunks, and `screenshot`, the last picture of the page. */
export const ArtifactKind = Type.Union([
  Type.Literal("video"),
  Type.Literal("playwright"),
  Type.Literal("rrweb"),
  Type.Literal("summary"),
  Type.Literal("report"),
  Type.Literal("screenshot"),
]);
export type ArtifactKind = Static<typeof ArtifactKind>;

export const ArtifactTaken = Type.Object({ kind: Type.String(), size: Type.Integer() });
export type ArtifactTaken = Static<typeof ArtifactTaken>;

export const CaptureEnd = Type.Object({
  status: Type.Union([
    Type.Literal("passed"),
    Type.Literal("failed"),
    Type.Literal("error"),
    Type.Literal("aborted"),
  ]),
  ended_at: Type.Optional(Type.String({ description: "ISO 8601; now when absent." })),
});
export type CaptureEnd = Static<typeof CaptureEnd>;

export const CaptureEnded = Type.Object({
  trace_id: Type.String(),
  status: Type.String({ description: "`queued` until post-processing ends." }),
});
export type CaptureEnded = Static<typeof CaptureEnded>;
