import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { bytesAnswer, DAMAGED } from "../docs.ts";
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
const DETAILS = {
  member: {
    operationId: "recordings.read",
    tags: TAGS,
    summary: "The DOM recording of a trace, to replay",
    description:
      "The recording as `signed_urls.rrweb` has it, unpacked as a stream, so that a replay begins before it is read whole.",
  },
  share: {
    operationId: "recordings.shared",
    tags: TAGS,
    summary: "The same, of a shared trace",
  },
};

/** The DOM recording of a trace. */
export function recordingsReads(deps: Deps, access: TraceAccess) {
  return new Elysia()
    .use(authMacro(deps))
    .get(
      "/recording",
      async ({ actor, params, request }) =>
        recordingResponse(deps, request, await access.open({ actor, params, request })),
      {
        auth: access.auth,
        params: Type.Object(access.params),
        detail: { ...DETAILS[access.kind], responses: ANSWERS },
      },
    );
}
