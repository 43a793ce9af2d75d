import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { bytesAnswer, DAMAGED } from "../docs.ts";
import { requireShare } from "../share/service.ts";
import { recordingResponse } from "./service.ts";

const TAGS = ["trace", "recordings"];
const ANSWERS = {
  200: bytesAnswer(
    "application/x-ndjson",
    "One event of rrweb's format (`type`, `timestamp`, `data`) a line. One that ends without a line feed was cut short.",
  ),
  409: { description: "`not_hot`: the trace is cold: restore it first." },
  ...DAMAGED,
};

/** The DOM recording of a trace, for members and behind a share link. */
export function recordingsRoutes(deps: Deps) {
  return new Elysia({ name: "recordings" })
    .use(authMacro(deps))
    .get(
      "/v1/traces/:id/recording",
      async ({ actor, params, request }) =>
        recordingResponse(deps, request, await requireTrace(deps, actor, params.id)),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        detail: {
          operationId: "recordings.read",
          tags: TAGS,
          summary: "The DOM recording of a trace, to replay",
          description:
            "The recording as `signed_urls.rrweb` has it, unpacked as a stream, so that a replay begins before it is read whole.",
          responses: ANSWERS,
        },
      },
    )
    .get(
      "/r/:shortId/recording",
      async ({ params, request }) =>
        recordingResponse(deps, request, await requireShare(deps, request, params.shortId)),
      {
        params: Type.Object({ shortId: Type.String({ maxLength: 40 }) }),
        detail: {
          operationId: "recordings.shared",
          tags: TAGS,
          summary: "The same, of a shared trace",
          responses: ANSWERS,
        },
      },
    );
}
