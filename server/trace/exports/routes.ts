import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../access.ts";
import { bytesAnswer, DAMAGED } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { exportPage } from "./page.ts";
import { exportBundle } from "./service.ts";

const TAGS = ["trace", "exports"];
const NOT_NOW = { 409: { description: "The trace is cold, or has not ended." } };

const PageQuery = Type.Object({
  max_bytes: Type.Optional(
    Type.Integer({
      minimum: 1_000_000,
      maximum: 2_000_000_000,
      description:
        "The page is at most so large; the largest bodies are left out first. 50 MB without it, which only events and what belongs to the failure may exceed.",
    }),
  ),
});

const InPage = Type.Union([
  Type.Object({
    bytes: Type.Integer({ description: "As it is stored" }),
    is_in: Type.Boolean(),
  }),
  Type.Null(),
]);

const PageContents = Type.Object({
  size: Type.Integer({ description: "Of the whole page, bytes" }),
  has_pages: Type.Boolean({ description: "Whether recorded pages are in it" }),
  are_pages_left_out: Type.Boolean({ description: "Whether those of steps that did not fail are left out" }),
  recording: InPage,
  video: InPage,
  left_out: Type.Object(
    { count: Type.Integer(), bytes: Type.Integer() },
    { description: "Everything that did not fit: pictures, bodies, recording, video" },
  ),
});

/** A trace as a file to take along. */
export function exportsRoutes(deps: Deps) {
  return new Elysia({ name: "exports" })
    .use(authMacro(deps))
    .get(
      "/v1/traces/:id/export",
      async ({ actor, params }) => {
        const { fileName, body } = await exportBundle(deps, actor, params.id);
        return new Response(body, {
          headers: {
            "content-type": "application/zstd",
            "content-disposition": `attachment; filename="${fileName}"`,
            "cache-control": "no-store",
          },
        });
      },
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        detail: {
          operationId: "exports.read",
          tags: TAGS,
          summary: "A trace as a bundle that ingest takes back",
          responses: {
            200: bytesAnswer("application/zstd", "A zstd-compressed tar archive."),
            ...NOT_NOW,
          },
        },
      },
    )
    .get(
      "/v1/traces/:id/export.html",
      async ({ actor, params, query, request }) => {
        const base = publicOriginOf(request, deps.config);
        const page = await exportPage(deps, actor, params.id, { base, maxBytes: query.max_bytes });
        return new Response(page.body, {
          headers: {
            "content-type": "text/html; charset=utf-8",
            "content-length": String(page.size),
            "content-disposition": `attachment; filename="${page.fileName}"`,
            "content-security-policy": "sandbox; default-src 'none'",
            "cache-control": "no-store",
            "x-tracedeck-left-out": `parts=${page.meta.left_out.count}; bytes=${page.meta.left_out.bytes}`,
          },
        });
      },
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        query: PageQuery,
        transform: readIntegers("max_bytes"),
        detail: {
          operationId: "exports.page",
          tags: TAGS,
          summary: "A trace as one HTML file that needs no server",
          description:
            "The viewer with the events, pictures, bodies, recorded pages, DOM recording and video inside. It opens from a disk, loads nothing " +
            "and runs nothing that was recorded. The header `x-tracedeck-left-out` says how many parts did not fit, and " +
            "their bytes; the page says it too.",
          responses: { 200: bytesAnswer("text/html", "The page, as an attachment."), ...NOT_NOW, ...DAMAGED },
        },
      },
    )
    .get(
      "/v1/traces/:id/export.html/contents",
      async ({ actor, params, query, request }) => {
        const base = publicOriginOf(request, deps.config);
        const page = await exportPage(deps, actor, params.id, { base, maxBytes: query.max_bytes });
        await page.body.cancel();
        const { has_pages, are_pages_left_out, recording, video, left_out } = page.meta;
        return { size: page.size, has_pages, are_pages_left_out, recording, video, left_out };
      },
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        query: PageQuery,
        transform: readIntegers("max_bytes"),
        response: { 200: PageContents },
        detail: {
          operationId: "exports.contents",
          tags: TAGS,
          summary: "What the HTML file of a trace would hold, and how large it would be",
          responses: { ...NOT_NOW, ...DAMAGED },
        },
      },
    );
}
