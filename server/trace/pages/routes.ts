import { Elysia } from "elysia";
import { PAGES } from "../../../viewer/page-table.ts";
import type { Deps } from "../../deps.ts";
import { wantsMarkdown } from "../../http/pages.ts";
import { createKnown } from "../../http/viewer/known.ts";
import type { PageNeeds } from "../../viewer-assets.ts";
import { memberScreen } from "./screen.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const needs = (id: string): PageNeeds => ({
  module: PAGES.trace.module,
  answers: [`/v1/traces/${id}`, `/v1/traces/${id}/summary`],
});

/** The viewer's page of one trace; for readers that have no browser its report. */
export function tracePageRoutes(deps: Deps) {
  const known = createKnown(deps);

  /** A short id is what people read to each other: it leads to its trace. */
  async function otherTrace(request: Request, text: string): Promise<Response> {
    const id = await known.traceOfShortId(request, text);
    if (id === null) return deps.viewer.page(request, { isMissing: true });
    const { search } = new URL(request.url);
    return new Response(null, {
      status: 302,
      headers: { location: `/traces/${id}${search}`, "cache-control": "no-store" },
    });
  }

  return new Elysia({ name: "trace-page" }).get(
    "/traces/:id",
    async ({ params, request }) => {
      const [, id = "", suffix] = /^(.*?)(\.md)?$/s.exec(params.id)!;
      if (!UUID.test(id)) return otherTrace(request, id);
      // The report asks for a credential itself, and says so in words when there is none.
      const report = `/v1/traces/${id}/report.md`;
      if (suffix || wantsMarkdown(request))
        return new Response(null, { status: 302, headers: { location: report, vary: "accept" } });
      const screen = await memberScreen(deps, request, id.toLowerCase());
      if (!screen && !(await known.trace(request, id))) return deps.viewer.page(request, { isMissing: true });
      const response = screen ?? (await deps.viewer.page(request, { needs: needs(id.toLowerCase()) }));
      response.headers.append("link", `<${report}>; rel="alternate"; type="text/markdown"`);
      return response;
    },
    { detail: { hide: true } },
  );
}
