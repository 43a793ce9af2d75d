import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { PAGES } from "../../../viewer/page-table.ts";
import type { Deps } from "../../deps.ts";
import { originOf, publicOriginOf } from "../../http/guard.ts";
import { isHead } from "../../http/head.ts";
import { noticePage, toSignIn, wantsMarkdown } from "../../http/pages.ts";
import type { PageNeeds } from "../../viewer-assets.ts";
import { BlobQuery, blobLink, redirectToBlob } from "../blobs/service.ts";
import { CauseAnswer } from "../causes/model.ts";
import { showCause } from "../causes/service.ts";
import { bytesAnswer, DAMAGED, fileAnswers, jsonAnswer, jsonText, redirectAnswer } from "../docs.ts";
import { EventPageAnswer, EventsQuery, StreamQuery } from "../events/model.ts";
import { eventPage } from "../events/service.ts";
import { eventStream } from "../events/stream.ts";
import { artifactResponse } from "../files/service.ts";
import { traceScreen } from "../pages/screen.ts";
import { readIntegers } from "../query.ts";
import { markdownPage, reportResponse } from "../reports/service.ts";
import { SummaryAnswer } from "../traces/summary-model.ts";
import { SharedTrace } from "./model.ts";
import { countView, openShare, requireShare, showSharedTrace } from "./service.ts";

const TAGS = ["trace", "share"];
const SIGN_IN = {
  401: { description: "The link is for members of the org: it needs a session." },
  403: { description: "`insufficient_scope`: the link is for members of the org who may read traces." },
};
const REFUSALS = {
  ...SIGN_IN,
  409: { description: "`not_hot`: the trace is cold." },
  ...DAMAGED,
};
const Params = Type.Object({ shortId: Type.String({ maxLength: 40 }) });
const BlobParams = Type.Object({
  shortId: Type.String({ maxLength: 40 }),
  sha256: Type.String({ maxLength: 200 }),
});

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
 * What a share link opens, without a credential: the page, and this one trace's data, to read only. Whether the link
 * still works is asked at every request.
 */
export function publicRoutes(deps: Deps) {
  async function page({ params, request }: PageCall, embed: boolean): Promise<Response> {
    const [, shortId, suffix] = /^(.*?)(\.md)?$/s.exec(params.shortId)!;
    const access = await openShare(deps, request, shortId!);
    if (access.type === "gone") return noticePage(404, "This link no longer works", "");
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
      "/r/:shortId/cause",
      async ({ params, request }) => showCause(deps, await requireShare(deps, request, params.shortId)),
      {
        params: Params,
        response: { 200: CauseAnswer },
        detail: {
          operationId: "share.cause",
          tags: TAGS,
          summary: "Why the shared trace failed",
          responses: SIGN_IN,
        },
      },
    )
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
        detail: { operationId: "share.trace", tags: TAGS, summary: "What is shared", responses: SIGN_IN },
      },
    )
    .get(
      "/r/:shortId/summary",
      async ({ params, request }) =>
        artifactResponse(deps, request, await requireShare(deps, request, params.shortId), "summary"),
      {
        params: Params,
        detail: {
          operationId: "share.summary",
          tags: TAGS,
          summary: "What the first screen of a shared trace shows",
          responses: {
            200: jsonAnswer(SummaryAnswer, "summary.json as it is stored."),
            ...SIGN_IN,
            ...fileAnswers("application/json"),
          },
        },
      },
    )
    .get(
      "/r/:shortId/events",
      async ({ params, query, request, set }) =>
        jsonText(set, await eventPage(deps, await requireShare(deps, request, params.shortId), query)),
      {
        params: Params,
        query: EventsQuery,
        transform: readIntegers("limit", "offset", "from_seq"),
        detail: {
          operationId: "share.events",
          tags: TAGS,
          summary: "A page of a shared trace's events",
          responses: { 200: jsonAnswer(EventPageAnswer, "Events as they were stored."), ...REFUSALS },
        },
      },
    )
    .get(
      "/r/:shortId/stream",
      async ({ params, query, request, server }) =>
        eventStream(
          deps,
          await requireShare(deps, request, params.shortId),
          { request, server },
          query.after,
        ),
      {
        params: Params,
        query: StreamQuery,
        transform: readIntegers("after"),
        detail: {
          operationId: "share.stream",
          tags: TAGS,
          summary: "A shared trace's events as server-sent events",
          responses: {
            200: bytesAnswer("text/event-stream", "Messages `data: <event>`; a heartbeat every 15 s."),
            204: { description: "The trace is finished and nothing is left." },
            ...REFUSALS,
          },
        },
      },
    )
    .get(
      "/r/:shortId/blob/:sha256",
      async ({ params, query, request }) => {
        const trace = await requireShare(deps, request, params.shortId);
        const link = {
          base: originOf(request, deps.config),
          viaShare: trace.share_visibility!,
          isPage: query.as !== undefined,
        };
        return redirectToBlob(deps, await blobLink(deps, trace, params.sha256, link), { viaShare: true });
      },
      {
        params: BlobParams,
        query: BlobQuery,
        detail: {
          operationId: "share.blob",
          tags: TAGS,
          summary: "Go to the bytes of a shared trace's blob",
          responses: { 302: redirectAnswer("`Location` is a signed link to the bytes."), ...REFUSALS },
        },
      },
    )
    .get(
      "/r/:shortId/report.md",
      async ({ params, request }) =>
        reportResponse(
          deps,
          await requireShare(deps, request, params.shortId),
          publicOriginOf(request, deps.config),
        ),
      {
        params: Params,
        detail: {
          operationId: "share.report",
          tags: TAGS,
          summary: "The report of a shared trace",
          responses: {
            200: bytesAnswer("text/markdown", "The report as an attachment."),
            ...SIGN_IN,
            ...DAMAGED,
          },
        },
      },
    );
}
