import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { DAMAGED, SHARE_SIGN_IN } from "../docs.ts";
import { CauseAnswer } from "./model.ts";
import { showCause, showSharedCause } from "./service.ts";

const DETAILS = {
  member: {
    operationId: "causes.show",
    tags: ["trace", "causes"],
    summary: "Why a trace failed: ranked suspects with their events",
    description:
      "Found when the trace is processed, against the newest passes of its scenario. What they have as well is subtracted and counted in also_when_passing.",
    responses: DAMAGED,
  },
  share: {
    operationId: "share.cause",
    tags: ["trace", "share"],
    summary: "Why a shared trace failed",
    description: "Without values of the passes that it was compared with: these were not shared.",
    responses: { ...SHARE_SIGN_IN, ...DAMAGED },
  },
};

/** Why a trace failed. */
export function causesReads(deps: Deps, access: TraceAccess) {
  return new Elysia().use(authMacro(deps)).get(
    "/cause",
    async ({ actor, params, request }) => {
      const trace = await access.open({ actor, params, request });
      return access.kind === "share" ? showSharedCause(deps, trace) : showCause(deps, trace);
    },
    {
      auth: access.auth,
      params: Type.Object(access.params),
      response: { 200: CauseAnswer },
      detail: DETAILS[access.kind],
    },
  );
}
