import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { bytesAnswer, DAMAGED, SHARE_SIGN_IN } from "../docs.ts";
import { reportResponse } from "./service.ts";

const DETAILS = {
  member: {
    operationId: "reports.show",
    tags: ["trace", "reports"],
    summary: "What failed, where, and what was around it, as markdown",
    responses: {
      200: bytesAnswer("text/markdown", "CommonMark, as an attachment `trace-<short_id>.md`."),
      ...DAMAGED,
    },
  },
  share: {
    operationId: "share.report",
    tags: ["trace", "share"],
    summary: "The report of a shared trace",
    responses: {
      200: bytesAnswer("text/markdown", "The report as an attachment."),
      ...SHARE_SIGN_IN,
      ...DAMAGED,
    },
  },
};

/** The forensic report of a trace. */
export function reportsReads(deps: Deps, access: TraceAccess) {
  return new Elysia()
    .use(authMacro(deps))
    .get(
      "/report.md",
      async ({ actor, params, request }) =>
        reportResponse(
          deps,
          await access.open({ actor, params, request }),
          publicOriginOf(request, deps.config),
          access.kind,
        ),
      { auth: access.auth, params: Type.Object(access.params), detail: DETAILS[access.kind] },
    );
}
