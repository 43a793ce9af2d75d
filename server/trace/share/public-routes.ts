import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { PAGES } from "../../../viewer/page-table.ts";
import type { Deps } from "../../deps.ts";
import { originOf, publicOriginOf } from "../../http/guard.ts";
import { isHead } from "../../http/head.ts";
import { noticePage, toSignIn, wantsMarkdown } from "../../http/pages.ts";
import type { PageNeeds } from "../../viewer-assets.ts";
import { redirectAnswer, SHARE_SIGN_IN } from "../docs.ts";
import { traceScreen } from "../pages/screen.ts";
import { markdownPage } from "../reports/service.ts";
import { SharedTrace } from "./model.ts";
import { countView, openShare, requireShare, showSharedTrace } from "./service.ts";

const TAGS = ["trace", "share"];
const Params = Type.Object({ shortId: Type.String({ maxLength: 40 }) });

interface PageCall {
  params: { shortId: string };
  request: Request;
}

const PAGE = { "text/html": { schema: { type: "string" as const } } };
const PAGE_ANSWERS = {
  200: {
    description: "The viewer; with `.md` after the short id, or for `Accept: text/markdown`, the report.",
    content: { ...PAGE, "text/markdown": { schema: { type: "string" as const } } },
  },
  302: redirectAnswer("The link is for members of the org: to the sign-in page, with the way back."),
  403: { description: "The link is for members of the org who may read traces.", content: PAGE },
  404: { description: "The link does not work, or no longer.", content: PAGE },
};

/**
 * What a share link opens, without a credential: the page, and what that shows first. Everything else of the trace is
 * read below `/r/:shortId` by the routes of its noun (`trace/reads.ts`).
 */
export function publicRoutes(deps: Deps) {
  async function page({ params, request }: PageCall, embed: boolean): Promise<Response> {
    const [, shortId, suffix] = /^(.*?)(\.md)?$/s.exec(params.shortId)!;
    const access = await openShare(deps, request, shortId!);
    if (access.type === "gone")
      return noticePage(404, "This link no longer works", "", "/docs/share#create-a-link");
    if (access.type === "sign_in") return toSignIn(request);
    if (!isHead(request)) {
      await countView(deps, access.trace, { ip: deps.addressOf(request), request, isEmbedded: embed });
    }
    if (!embed && (suffix || wantsMarkdown(request)))
      return markdownPage(deps, access.trace, publicOriginOf(request, deps.config));
    const own = `/r/${access.trace.short_id}`;
    const needs: PageNeeds = {
      module: PAGES.trace.module,
      answers: [`${own}/trace`, `${own}/summary`],
    };
    const screen = {
      trace: access.trace,
      id: access.trace.short_id,
      sharing: embed ? ("embed" as const) : ("page" as const),
      detail: await showSharedTrace(deps, access.trace, originOf(request, deps.config)),
    };
    const response =
      (await traceScreen(deps, request, screen)) ?? (await deps.viewer.page(request, { embed, needs }));
    // A kept copy would open after the link has ended.
    response.headers.set("cache-control", "no-store");
    if (!embed) response.headers.append("link", `<${own}.md>; rel="alternate"; type="text/markdown"`);
    return response;
  }

  return new Elysia({ name: "share-public" })
    .get("/r/:shortId", (call) => page(call, false), {
      params: Params,
      detail: {
        operationId: "share.page",
        tags: TAGS,
        summary: "The page of a shared trace",
        responses: PAGE_ANSWERS,
      },
    })
    .get("/r/:shortId/embed", (call) => page(call, true), {
      params: Params,
      detail: {
        operationId: "share.embed",
        tags: TAGS,
        summary: "The same page, for other sites to frame",
        responses: PAGE_ANSWERS,
      },
    })
    .get(
      "/r/:shortId/trace",
      async ({ params, request }) =>
        showSharedTrace(
          deps,
          await requireShare(deps, request, params.shortId),
          originOf(request, deps.config),
        ),
      {
        params: Params,
        response: { 200: SharedTrace },
        detail: {
          operationId: "share.trace",
          tags: TAGS,
          summary: "What is shared",
          responses: SHARE_SIGN_IN,
        },
      },
    );
}
