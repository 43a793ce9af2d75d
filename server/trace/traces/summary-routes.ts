import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { fileAnswers, jsonAnswer, SHARE_SIGN_IN } from "../docs.ts";
import { artifactResponse } from "../files/service.ts";
import { SummaryAnswer } from "./summary-model.ts";

const FOUND = { 200: jsonAnswer(SummaryAnswer, "summary.json as it is stored.") };
const DETAILS = {
  member: {
    operationId: "traces.summary",
    tags: ["trace", "traces"],
    summary: "What the first screen of a trace shows",
    responses: { ...FOUND, ...fileAnswers("application/json") },
  },
  share: {
    operationId: "share.summary",
    tags: ["trace", "share"],
    summary: "What the first screen of a shared trace shows",
    responses: { ...FOUND, ...SHARE_SIGN_IN, ...fileAnswers("application/json") },
  },
};

/** The summary of a trace. */
export function summaryReads(deps: Deps, access: TraceAccess) {
  return new Elysia()
    .use(authMacro(deps))
    .get(
      "/summary",
      async ({ actor, params, request }) =>
        artifactResponse(deps, request, await access.open({ actor, params, request }), "summary"),
      { auth: access.auth, params: Type.Object(access.params), detail: DETAILS[access.kind] },
    );
}
