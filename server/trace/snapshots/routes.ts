import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { originOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { bytesAnswer } from "../docs.ts";
import { contentResponse, INSPECTOR, pageResponse, sheetResponse } from "./answers.ts";
import { grantedPath } from "./grants.ts";
import { SnapshotAnswer, SnapshotQueryModel } from "./model.ts";
import { createSnapshots } from "./service.ts";

const TAGS = ["trace", "snapshots"];
const Name = Type.String({
  maxLength: 500,
  description: "As `dom.snapshot` events name it, such as `before@call@7`",
});
const Index = Type.Integer({ minimum: 0 });
const Granted = { id: Type.String({ format: "uuid" }), grant: Type.String({ maxLength: 120 }) };

const GONE = {
  403: { description: "The link was altered or has expired." },
  404: { description: "There is no such page or part of one." },
  409: { description: "The trace is cold: restore it first." },
};

/** A `transform` hook: the named parts of the path are whole numbers. */
function numbersIn(...names: string[]) {
  return ({ params }: { params: Record<string, unknown> }) => {
    for (const name of names) {
      const value = params[name];
      if (typeof value === "string" && /^\d{1,9}$/.test(value)) params[name] = Number(value);
    }
  };
}

const DETAILS = {
  member: {
    operationId: "snapshots.read",
    tags: TAGS,
    summary: "The page as it was before, during or after an action",
    description:
      "Of traces that came as a Playwright archive. `html_url` shows the page without its scripts; it needs no " +
      "credential, so that a sandboxed frame can load it, and expires.",
  },
  share: {
    operationId: "snapshots.shared",
    tags: TAGS,
    summary: "The same, of a shared trace",
  },
};

/** What is known of a recorded page, with a link that shows it. */
export function snapshotsReads(deps: Deps, access: TraceAccess) {
  const snapshots = createSnapshots(deps);

  return new Elysia().use(authMacro(deps)).get(
    "/snapshots/:name",
    async ({ actor, params, query, request }) => {
      const trace = await access.open({ actor, params, request });
      const link = { base: originOf(request, deps.config), viaShare: access.viaShare(trace) };
      return snapshots.show(trace, { ...query, name: params.name }, link);
    },
    {
      auth: access.auth,
      params: Type.Object({ ...access.params, name: Name }),
      query: SnapshotQueryModel,
      response: { 200: SnapshotAnswer },
      detail: DETAILS[access.kind],
    },
  );
}

/** Recorded pages behind a grant in the path: their markup and what that loads. */
export function snapshotsRoutes(deps: Deps) {
  const snapshots = createSnapshots(deps);
  const { grants } = snapshots;

  return new Elysia({ name: "snapshots" })
    .get(
      "/files/:id/pages/:grant/d/:frame/:snapshot",
      async ({ params, request }) => {
        const { trace, viaShare } = await grants.open(params.id, params.grant);
        const html = await snapshots.page(trace, params);
        const root = originOf(request, deps.config) + grantedPath(params.id, params.grant);
        return pageResponse(html, { root, viaShare });
      },
      {
        transform: numbersIn("frame", "snapshot"),
        params: Type.Object({ ...Granted, frame: Index, snapshot: Index }),
        detail: {
          operationId: "snapshots.page",
          tags: TAGS,
          summary: "A recorded page, without anything that acts",
          responses: { 200: bytesAnswer("text/html", "The page; sandboxed by its own policy."), ...GONE },
        },
      },
    )
    .get(
      "/files/:id/pages/:grant/i/:frame/:snapshot",
      async ({ params, request }) => {
        const { trace, viaShare } = await grants.open(params.id, params.grant);
        const html = await snapshots.page(trace, params, "i");
        const root = originOf(request, deps.config) + grantedPath(params.id, params.grant);
        return pageResponse(html, { root, viaShare, isInspected: true });
      },
      {
        transform: numbersIn("frame", "snapshot"),
        params: Type.Object({ ...Granted, frame: Index, snapshot: Index }),
        detail: {
          operationId: "snapshots.inspected",
          tags: TAGS,
          summary: "A recorded page in which the viewer's inspector runs, and nothing else",
          responses: {
            200: bytesAnswer("text/html", "The page; without an origin, and its policy names one script."),
            ...GONE,
          },
        },
      },
    )
    .get(
      `/files/:id/pages/:grant/${INSPECTOR}`,
      async ({ params, request }) => {
        await grants.open(params.id, params.grant);
        return deps.viewer.inspector(request);
      },
      {
        params: Type.Object(Granted),
        detail: {
          operationId: "snapshots.inspector",
          tags: TAGS,
          summary: "The script that picks elements and reads roles in an inspected page",
          responses: { 200: bytesAnswer("text/javascript", "The viewer's own script."), ...GONE },
        },
      },
    )
    .get(
      "/files/:id/pages/:grant/c/:frame/:snapshot/:url",
      async ({ params }) => {
        const { trace, viaShare } = await grants.open(params.id, params.grant);
        return sheetResponse(await snapshots.sheet(trace, params, params.url), viaShare);
      },
      {
        transform: numbersIn("frame", "snapshot", "url"),
        params: Type.Object({ ...Granted, frame: Index, snapshot: Index, url: Index }),
        detail: {
          operationId: "snapshots.sheet",
          tags: TAGS,
          summary: "A style sheet as it was at the moment of a recorded page",
          responses: {
            200: bytesAnswer("text/css", "The style sheet; it loads from this server alone."),
            ...GONE,
          },
        },
      },
    )
    .get(
      "/files/:id/pages/:grant/r/:content",
      async ({ params }) => {
        const { trace, viaShare } = await grants.open(params.id, params.grant);
        const { body, content } = await snapshots.content(trace, params.content);
        return contentResponse(body, content, viaShare);
      },
      {
        transform: numbersIn("content"),
        params: Type.Object({ ...Granted, content: Index }),
        detail: {
          operationId: "snapshots.content",
          tags: TAGS,
          summary: "A picture, font or other file that a recorded page shows",
          responses: {
            200: bytesAnswer("application/octet-stream", "The file as it was loaded then."),
            ...GONE,
          },
        },
      },
    );
}
