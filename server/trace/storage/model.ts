import { type Static, Type } from "@sinclair/typebox";
import { oneOf, STATUSES, TIERS } from "../model.ts";

const bytes = (description?: string) => Type.Integer(description ? { description } : {});
const count = Type.Integer();
const day = Type.String({ format: "date", description: "UTC." });
const orNull = <Schema extends ReturnType<typeof Type.Integer>>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const DiskAnswer = Type.Object({
  state: {
    ...oneOf(["ok", "short", "critical"]),
    description:
      "short: less than a twentieth of the disk is free (at least 2 GB, at most 50 GB), or it is full within 7 days. critical: less than 512 MiB is free.",
  },
  free_bytes: bytes("What this server may still write."),
  size_bytes: bytes(),
  bytes_per_day: orNull(bytes("Mean of the basis days: what came on them and is still kept.")),
  basis_days: Type.Integer({ description: "Whole days before today, 7 at most." }),
  full_in_days: orNull(
    Type.Integer({ description: "At that pace, if nothing is removed; null when nobody can tell." }),
  ),
});
export type DiskAnswer = Static<typeof DiskAnswer>;

const Moves = Type.Array(Type.Object({ day, to: oneOf(["warm", "cold"]), bytes: bytes(), count }));

export const StorageAnswer = Type.Object({
  disk: DiskAnswer,
  cold_disk: Type.Union([Type.Object({ free_bytes: bytes(), size_bytes: bytes() }), Type.Null()], {
    description: "Null when the cold folder lies on the same disk.",
  }),
  used_bytes: bytes("Everything that is kept: files of traces, blobs, records."),
  shared_bytes: bytes("What traces would take besides if each kept blobs of its own."),
  online: Type.Object({
    bytes: bytes("Of traces that are not cold."),
    limit_bytes: orNull(bytes("retention.max_bytes: past it the oldest move on early.")),
  }),
  retention: Type.Object({
    hot_days: Type.Number(),
    warm_days: Type.Number(),
    blob_grace_days: Type.Number(),
    runs_days: Type.Number(),
  }),
  tiers: Type.Array(
    Type.Object({
      tier: oneOf(TIERS),
      bytes: bytes(),
      count,
      pinned_bytes: bytes("Of these, what stays where it is."),
      pinned_count: count,
    }),
  ),
  kinds: Type.Array(
    Type.Object({
      kind: oneOf(["events", "archives", "blobs", "pages", "video", "packs", "records", "others"]),
      bytes: bytes(),
      count,
    }),
  ),
  scenarios: Type.Array(Type.Object({ slug: Type.String(), title: Type.String(), bytes: bytes(), count }), {
    description: "The 20 largest.",
  }),
  days: Type.Array(Type.Object({ day, bytes: bytes(), count }), {
    description: "What came on the last 14 days and is still kept.",
  }),
  moves: Moves,
  expiries: Type.Array(Type.Object({ day, bytes: bytes(), count }), {
    description:
      "Traces of checks, by the day on which they go with their runs. What an incident, a share or the comparison with the last passes needs stays longer.",
  }),
  removals: Type.Array(Type.Object({ day, bytes: bytes(), count }), {
    description: "Blobs that no trace names any more, by the day on which they are removed.",
  }),
  largest: Type.Array(
    Type.Object({
      id: Type.String({ format: "uuid" }),
      scenario_slug: Type.String(),
      scenario_title: Type.String(),
      status: oneOf(STATUSES),
      tier: oneOf(TIERS),
      pinned: Type.Boolean(),
      created_at: Type.String({ format: "date-time" }),
      total_size_bytes: bytes(),
    }),
    { description: "The 20 largest traces." },
  ),
});
export type StorageAnswer = Static<typeof StorageAnswer>;
