import { type Static, Type } from "@sinclair/typebox";
import { MENDER_STATUSES } from "../../../store/records/mender-schema.ts";
import { CLASSIFICATIONS } from "../../gate/diagnosis/types.ts";
import type { AttemptAnswer } from "../../gate/mender/model.ts";
import { rejectAttempt, showAttempts } from "../../gate/mender/service.ts";
import { writeIdCursor } from "../../http/cursors.ts";
import { ANSWER_BYTES, fitting, told, toldOrNull } from "../../trace/fit.ts";
import { oneOf } from "../../trace/model.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { traceLink } from "../trace-reference.ts";
import { Cursor, NextCursor, Text, TextOrNull, Url } from "./shared.ts";

const LONGEST_PATCH = 6000;

const Attempt = Type.Object({
  ...{ id: Text, scenario_slug: Text, status: oneOf(MENDER_STATUSES), stage: Text },
  ...{ classification: oneOf(CLASSIFICATIONS), confidence: Type.Number(), summary: Text },
  ...{ patch: TextOrNull, verified_by: TextOrNull, pr_url: TextOrNull, reject_reason: TextOrNull },
  ...{ trace_id: Text, trace_url: Text, created_at: Text },
  url: Url,
});

export const getMenderAttempts = defineTool({
  name: "product_get_mender_attempts",
  title: "List fixes of scenarios",
  description:
    "What failures of scenarios are (the product changed, is broken, slow, flaky), newest first, with the patch of the scenario and the trace that verified it.",
  scope: ["mender:read", "mcp:read"],
  input: Type.Object({
    status: Type.Optional(oneOf(MENDER_STATUSES)),
    scenario: Type.Optional(Type.String({ maxLength: 64, description: "Id or slug." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "10 when absent." })),
    cursor: Cursor,
  }),
  output: Type.Object({ attempts: Type.Array(Attempt), next_cursor: NextCursor }),
  async call(deps, caller, { limit = 10, ...query }) {
    const { items, next_cursor } = await showAttempts(deps, caller.actor, { ...query, limit });
    const all = items.map((attempt) => toldAttempt(caller, attempt));
    const attempts = fitting(all, ANSWER_BYTES);
    const last = attempts.length < all.length ? attempts.at(-1)! : null;
    return { attempts, next_cursor: last === null ? next_cursor : writeIdCursor(last.id) };
  },
});

export const menderReject = defineTool({
  name: "product_mender_reject",
  title: "Reject a fix of a scenario",
  description:
    "Refuse a patch with a reason that everybody sees. The same change of that scenario is not proposed again.",
  scope: ["mender:apply", "mcp:write"],
  isWrite: true,
  whenMissing: "product_get_mender_attempts lists them.",
  input: Type.Object({
    attempt_id: Type.String({ format: "uuid" }),
    reason: Type.String({ minLength: 1, maxLength: 500 }),
  }),
  output: Attempt,
  call: async (deps, caller, { attempt_id: id, reason }) =>
    toldAttempt(caller, await rejectAttempt(deps, caller.actor, id, reason)),
});

function toldAttempt(caller: Caller, attempt: AttemptAnswer): Static<typeof Attempt> {
  const { id, status, stage, classification, confidence, trace_id, created_at, verification } = attempt;
  const verifiedBy = verification?.status === "passed" ? verification.trace_id : null;
  return {
    ...{ id, scenario_slug: told(attempt.scenario_slug, 64), status, stage, classification, confidence },
    summary: told(attempt.summary, 600),
    patch: toldOrNull(attempt.patch, LONGEST_PATCH),
    verified_by: verifiedBy === null ? null : traceLink(caller, verifiedBy, null),
    pr_url: attempt.pr_url,
    reject_reason: toldOrNull(attempt.reject_reason, 500),
    ...{ trace_id, trace_url: traceLink(caller, trace_id, null), created_at },
    url: `${caller.publicOrigin}/mender/${id}`,
  };
}
