import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { MenderRow } from "../../../store/records/mender.ts";
import { MENDER_STATUSES } from "../../../store/records/mender-schema.ts";
import { toIso } from "../../platform/clock.ts";
import { oneOf } from "../../trace/model.ts";
import { CLASSIFICATIONS, type Classification, type SourcePatch } from "../diagnosis/types.ts";
import { filesOf } from "./patched-files.ts";
import { type KeptEvidence, verificationOf } from "./verification.ts";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Uuid = () => Type.String({ format: "uuid" });
const Time = () => Type.String({ format: "date-time" });
const Call = Type.Object({ method: Type.String(), url: Type.String() });

export const EvidenceItem = Type.Object({
  text: Type.String(),
  trace_id: OrNull(Uuid()),
  step_id: OrNull(Type.String()),
  events: Type.Array(Type.Integer(), { description: "Sequence numbers in that trace." }),
});

export const VerificationAnswer = Type.Object({
  status: oneOf(["running", "passed", "failed", "not_possible"]),
  replay_id: OrNull(Uuid()),
  trace_id: OrNull(Type.String({ format: "uuid", description: "Of the scenario repeated with the patch." })),
  from_step: Type.Integer({ minimum: 1, description: "The first step that was live." }),
  message: OrNull(Type.String({ description: "What failed, or why nothing was repeated." })),
  sent: Type.Array(Call, { description: "What of the steps before was sent again." }),
  left_out: Type.Array(Call, { description: "What of the steps before was not sent again." }),
  unchanged: OrNull(
    Type.Object(
      { replay_id: Uuid(), trace_id: OrNull(Uuid()), outcome: oneOf(["failed", "passed", "unknown"]) },
      { description: "The same steps repeated without the patch." },
    ),
  ),
});

/** An attempt (decisions, section 7), with what lists and pages need of its scenario. */
export const AttemptAnswer = Type.Object({
  id: Uuid(),
  scenario_id: Uuid(),
  scenario_slug: Type.String(),
  scenario_title: Type.String(),
  run_id: Uuid(),
  trace_id: Uuid(),
  failure_signature: Type.String(),
  status: oneOf(MENDER_STATUSES),
  stage: Object.assign(oneOf(["diagnosing", "repeating", "verifying", "ended"]), {
    description:
      "What it is at: the failure is looked at, repeated without a change, repeated with one; or it is through.",
  }),
  classification: oneOf(CLASSIFICATIONS),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  summary: Type.String(),
  evidence: Type.Array(EvidenceItem),
  path: Type.String({ description: "Of the scenario's file." }),
  patch: OrNull(Type.String({ description: "Unified diff; null where nothing is to be changed." })),
  verification: OrNull(VerificationAnswer),
  pr_url: OrNull(Type.String()),
  reject_reason: OrNull(
    Type.String({
      description:
        "Also of one that is `applied`: somebody rejected it while its pull request was being opened. It is not proposed again.",
    }),
  ),
  origin: Object.assign(oneOf(["rules", "model", "replay"]), {
    description: "`replay`: a person promoted a replay.",
  }),
  tokens_used: Type.Integer({ minimum: 0 }),
  created_at: Time(),
  updated_at: Time(),
});
export type AttemptAnswer = Static<typeof AttemptAnswer>;

export const AttemptList = Type.Object({
  items: Type.Array(AttemptAnswer),
  next_cursor: OrNull(Type.String()),
});

export const AttemptListQuery = Type.Object({
  status: Type.Optional(oneOf(MENDER_STATUSES)),
  scenario: Type.Optional(Type.String({ maxLength: 64, description: "Id or slug." })),
  trace: Type.Optional(Type.String({ maxLength: 64, description: "Id of the failed trace." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 when absent." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type AttemptListQuery = Static<typeof AttemptListQuery>;

export const AttemptParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

export const Preview = Type.Object({
  patch: Type.String({ description: "Unified diff of all files." }),
  files: Type.Array(
    Type.Object({ path: Type.String(), additions: Type.Integer(), deletions: Type.Integer() }),
  ),
});
export type Preview = Static<typeof Preview>;

export const Rejection = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 500 }) },
  { additionalProperties: false, examples: [{ reason: "The old label comes back next week" }] },
);
export type Rejection = Static<typeof Rejection>;

export const PromoteRequest = Type.Object(
  {
    replay_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Of a replay of the trace that passed with changes.",
    }),
    summary: Type.String({
      minLength: 1,
      maxLength: 500,
      description: "What was wrong, for whoever reads the pull request.",
    }),
  },
  { additionalProperties: false },
);
export type PromoteRequest = Static<typeof PromoteRequest>;

export const PromoteAnswer = Type.Object({
  mender_attempt_id: Uuid(),
  pr_url: Type.String(),
  status: oneOf(MENDER_STATUSES),
});
export type PromoteAnswer = Static<typeof PromoteAnswer>;

export const sourcesOf = (row: MenderRow): SourcePatch[] => JSON.parse(row.source_patches) as SourcePatch[];

/** The whole patch, file after file; null where there is none. */
export function wholePatch(row: MenderRow): string | null {
  const parts = [row.patch ?? "", ...sourcesOf(row).map(({ diff }) => diff)].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.map((part) => (part.endsWith("\n") ? part : `${part}\n`)).join("");
}

export function toAttempt(row: MenderRow, scenario: { slug: string; title: string }): AttemptAnswer {
  return {
    id: row.id,
    scenario_id: row.scenario_id,
    scenario_slug: scenario.slug,
    scenario_title: scenario.title,
    run_id: row.run_id,
    trace_id: row.trace_id,
    failure_signature: row.failure_signature,
    status: row.status,
    stage: row.stage,
    classification: row.classification as Classification,
    confidence: row.confidence,
    summary: row.summary,
    evidence: JSON.parse(row.evidence) as KeptEvidence[],
    path: row.path,
    patch: wholePatch(row),
    verification: row.verification === null ? null : verificationOf(row),
    pr_url: row.pr_url,
    reject_reason: row.reject_reason,
    origin: row.origin,
    tokens_used: row.tokens_used,
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}

export function toPreview(row: MenderRow): Preview {
  const patch = wholePatch(row) ?? "";
  return { patch, files: patch === "" ? [] : filesOf(patch) };
}
