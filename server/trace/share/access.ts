import { Type } from "@sinclair/typebox";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { TraceAccess } from "../access.ts";
import { openShare, requireShare } from "./service.ts";

/** Whoever has a share link that still works, by the short id in it; that is asked at every request. */
export function shareAccess(deps: Deps): TraceAccess {
  return {
    kind: "share",
    params: { shortId: Type.String({ maxLength: 40 }) },
    auth: null,
    open: ({ params, request }) => requireShare(deps, request, params.shortId!),
    whileOpen({ params, request }) {
      // The request itself is gone once it is answered.
      const asked = new Request(request.url, { headers: new Headers(request.headers) });
      return async () => {
        try {
          return (await openShare(deps, asked, params.shortId!)).type === "open";
        } catch (error) {
          if (error instanceof AppError && error.status < 500) return false;
          throw error;
        }
      };
    },
    viaShare: (trace) => trace.share_visibility,
  };
}
