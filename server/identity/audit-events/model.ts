import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { AuditProblemKind } from "../../../store/audit/verify.ts";
import { shownAudit, type WholeAuditRow } from "../../../store/records/audit.ts";
import { toIso } from "../../platform/clock.ts";
import type { VerifiedChain } from "./trail.ts";

export const AuditEntry = Type.Object({
  seq: Type.Integer({ description: "Rises with time over all orgs of this server." }),
  at: Type.String({ format: "date-time" }),
  actor: Type.Object({
    type: Type.String({
      description: "user (a person who is signed in), api_key, pat, svc, internal, org_header or system.",
    }),
    id: Type.String(),
  }),
  action: Type.String({ description: "noun.verb" }),
  target: Type.String({ description: "Id or name of what it was done to." }),
  ip: Type.Union([Type.String(), Type.Null()]),
  detail: Type.Record(Type.String(), Type.Unknown()),
  prev_hash: Type.String({ description: "`hash` of the org's entry before; 64 zeros in its first one." }),
  hash: Type.String({ description: "SHA-256 (hex) of the RFC 8785 form of the entry without `hash`." }),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditPage = Type.Object({
  items: Type.Array(AuditEntry),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
export type AuditPage = Static<typeof AuditPage>;

const filter = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
const FILTERS = {
  actor: filter("Id of who did it."),
  action: Type.Optional(
    Type.String({
      pattern: "^[a-z_]+\\.([a-z_]+|\\*)$",
      maxLength: 100,
      description: "`noun.verb`, or `noun.*` for all of a noun.",
    }),
  ),
  target: filter("Id or name of what it was done to."),
  from: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601; included." })),
  to: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601; excluded." })),
};

export const AuditQuery = Type.Object({
  ...FILTERS,
  // Elysia's own integer: it reads the text of a query string.
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditExportQuery = Type.Object({
  ...FILTERS,
  format: Type.Optional(
    Type.Unsafe<"ndjson" | "csv">(
      Type.Union([Type.Literal("ndjson"), Type.Literal("csv")], { description: "Default ndjson." }),
    ),
  ),
});
export type AuditExportQuery = Static<typeof AuditExportQuery>;

const Time = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
const Seq = Type.Union([Type.Integer(), Type.Null()]);

const PROBLEMS: readonly AuditProblemKind[] = ["altered", "cut", "rewritten", "forged", "foreign"];

export const AuditVerification = Type.Object({
  ok: Type.Boolean(),
  verified_at: Type.String({ format: "date-time" }),
  entries: Type.Integer(),
  checkpoints: Type.Integer(),
  last_checkpoint_at: Time,
  after_checkpoint: Type.Integer({
    description: "Entries since the last checkpoint, of which the chain alone tells.",
  }),
  replacements: Type.Array(
    Type.Object({
      event: Type.Union([Type.Literal("backup.restore"), Type.Literal("records.rebuild")]),
      at: Type.String(),
      backup_at: Type.Union([Type.String(), Type.Null()]),
      lost: Type.Integer({ description: "Entries that went with it." }),
    }),
    { description: "Where the records were replaced on purpose." },
  ),
  problems: Type.Array(
    Type.Object({
      kind: Type.Unsafe<AuditProblemKind>(Type.Union(PROBLEMS.map((kind) => Type.Literal(kind)))),
      seq: Seq,
      message: Type.String(),
    }),
  ),
});
export type AuditVerification = Static<typeof AuditVerification>;

/** An entry as the API shows it; what was altered so that it is no entry any more is shown as text. */
export function toAuditEntry(row: WholeAuditRow): AuditEntry {
  try {
    return { ...shownAudit(row), hash: row.hash };
  } catch {
    return {
      ...shownAudit({ ...row, at: 0, detail: "{}" }),
      detail: { unreadable: row.detail },
      hash: row.hash,
    };
  }
}

export function toVerification({ verifiedAt, fileProblems, ...state }: VerifiedChain): AuditVerification {
  const problems = [...state.problems, ...fileProblems].map(({ kind, seq, message }) => ({
    kind,
    seq,
    message,
  }));
  return {
    ok: problems.length === 0,
    verified_at: toIso(verifiedAt),
    entries: state.entries,
    checkpoints: state.checkpoints,
    last_checkpoint_at: state.last_checkpoint_at,
    after_checkpoint: state.after_checkpoint,
    replacements: state.replacements,
    problems,
  };
}

/** Opaque place in the list. */
export const encodeAuditCursor = (seq: number): string => Buffer.from(`seq ${seq}`).toString("base64url");

/** The place a cursor stands for; null when it is none of ours. */
export function decodeAuditCursor(cursor: string): number | null {
  const [, digits] = /^seq (\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  return digits === undefined ? null : Number(digits);
}
