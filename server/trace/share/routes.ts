import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { checkShare } from "./check.ts";
import { ShareAnswer, ShareCheck, ShareRequest, ShareState, ShareViews } from "./model.ts";
import { shareTrace, showShare, showShareViews, withdrawShare } from "./service.ts";

const TAGS = ["trace", "share"];

/** Sharing a trace by a link, and taking it back. */
export function shareRoutes(deps: Deps) {
  return new Elysia({ name: "share" })
    .use(authMacro(deps))
    .post(
      "/v1/traces/:id/share",
      ({ actor, body, params, request }) =>
        shareTrace(deps, actor, params.id, body, publicOriginOf(request, deps.config)),
      {
        auth: { scope: "traces:share" },
        params: TraceParams,
        body: ShareRequest,
        response: { 200: ShareAnswer },
        detail: { operationId: "share.create", tags: TAGS, summary: "Share a trace by a link that ends" },
      },
    )
    .get(
      "/v1/traces/:id/share",
      ({ actor, params, request }) => showShare(deps, actor, params.id, publicOriginOf(request, deps.config)),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        response: { 200: ShareState },
        detail: { operationId: "share.show", tags: TAGS, summary: "The share of a trace, and its views" },
      },
    )
    .get("/v1/traces/:id/share/views", ({ actor, params }) => showShareViews(deps, actor, params.id), {
      auth: { scope: "traces:read" },
      params: TraceParams,
      response: { 200: ShareViews },
      detail: { operationId: "share.views", tags: TAGS, summary: "Who opened the shared page of a trace" },
    })
    .get(
      "/v1/traces/:id/share/check",
      async ({ actor, params, request }) =>
        checkShare(deps, await requireTrace(deps, actor, params.id), request.signal),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        response: { 200: ShareCheck },
        detail: {
          operationId: "share.check",
          tags: TAGS,
          summary: "What sharing a trace would show: credentials in headers, and how much was masked",
          description:
            "A look at the first 5,000 requests and answers, of two seconds at most. Playwright archives are kept as they " +
            "were recorded, so that their headers are shown.",
        },
      },
    )
    .delete(
      "/v1/traces/:id/share",
      async ({ actor, params, set }) => {
        await withdrawShare(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: { scope: "traces:share" },
        params: TraceParams,
        detail: {
          operationId: "share.withdraw",
          tags: TAGS,
          summary: "End a share at once",
          responses: { 204: { description: "The link no longer works." } },
        },
      },
    );
}
