import { Type } from "@sinclair/typebox";
import type { Deps } from "../../deps.ts";
import type { TraceAccess } from "../access.ts";
import { requireShare } from "./service.ts";

/** Whoever has a share link that still works, by the short id in it; that is asked at every request. */
export function shareAccess(deps: Deps): TraceAccess {
  return {
    kind: "share",
    params: { shortId: Type.String({ maxLength: 40 }) },
    auth: null,
    open: ({ params, request }) => requireShare(deps, request, params.shortId!),
    viaShare: (trace) => trace.share_visibility,
  };
}
