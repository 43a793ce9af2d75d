import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import type { PageNeeds } from "../../viewer-assets.ts";
import { notFound } from "../errors.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const traceNeeds = (id: string): PageNeeds => ({
  module: "viewer/pages/trace.tsx",
  answers: [`/v1/traces/${id}`, `/v1/traces/${id}/summary`],
});

function compareNeeds(search: URLSearchParams): PageNeeds {
  const ids = ["a", "b"].map((side) => search.get(side) ?? "").filter((id) => UUID.test(id));
  return {
    module: "viewer/pages/compare/page.tsx",
    answers: ids.map((id) => `/v1/traces/${id.toLowerCase()}`),
  };
}

/** The viewer's page at the paths that are nothing but the viewer, and the files that it loads. */
export function viewerRoutes(deps: Pick<Deps, "viewer">) {
  const hide = { detail: { hide: true } };
  const list: PageNeeds = { module: "viewer/pages/list/page.tsx" };
  return new Elysia({ name: "viewer" })
    .get("/", ({ request }) => deps.viewer.page(request, { needs: list }), hide)
    .get("/traces", ({ request }) => deps.viewer.page(request, { needs: list }), hide)
    .get("/failures", ({ request }) => deps.viewer.page(request), hide)
    .get("/scenarios", ({ request }) => deps.viewer.page(request), hide)
    .get("/scenarios/:slug", ({ request }) => deps.viewer.page(request), hide)
    .get(
      "/traces/:id",
      ({ params, request }) =>
        deps.viewer.page(request, { needs: UUID.test(params.id) ? traceNeeds(params.id.toLowerCase()) : {} }),
      hide,
    )
    .get(
      "/compare",
      ({ request }) => deps.viewer.page(request, { needs: compareNeeds(new URL(request.url).searchParams) }),
      hide,
    )
    .get(
      "/assets/:name",
      async ({ request, params }) => {
        const answer = await deps.viewer.asset(request, params.name);
        if (!answer) throw notFound("This file");
        return answer;
      },
      hide,
    );
}
