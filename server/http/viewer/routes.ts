import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import type { PageNeeds } from "../../viewer-assets.ts";
import { notFound } from "../errors.ts";
import { originOf } from "../guard.ts";
import { createKnown } from "./known.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function compareNeeds(search: URLSearchParams): PageNeeds {
  const ids = ["a", "b"].map((side) => search.get(side) ?? "").filter((id) => UUID.test(id));
  return {
    module: "viewer/pages/compare/page.tsx",
    answers: ids.map((id) => `/v1/traces/${id.toLowerCase()}`),
  };
}

/** The viewer's page at the paths that are nothing but the viewer, and the files that it loads. */
export function viewerRoutes(deps: Pick<Deps, "viewer" | "config" | "store" | "credentials">) {
  const hide = { detail: { hide: true } };
  const known = createKnown(deps);
  const list: PageNeeds = { module: "viewer/pages/list/page.tsx" };

  /** The page of one thing: where there is none it says so, and so does the status. */
  const pageOf = (request: Request, isKnown: boolean, needs: PageNeeds) =>
    isKnown ? deps.viewer.page(request, { needs }) : deps.viewer.page(request, { isMissing: true });

  return new Elysia({ name: "viewer" })
    .get("/", ({ request }) => deps.viewer.page(request, { needs: list }), hide)
    .get("/traces", ({ request }) => deps.viewer.page(request, { needs: list }), hide)
    .get(
      "/failures",
      ({ request }) => deps.viewer.page(request, { needs: { module: "viewer/pages/failures/page.tsx" } }),
      hide,
    )
    .get(
      "/scenarios",
      ({ request }) => deps.viewer.page(request, { needs: { module: "viewer/pages/scenarios/page.tsx" } }),
      hide,
    )
    .get(
      "/scenarios/:slug",
      async ({ request, params }) =>
        pageOf(request, await known.scenario(request, params.slug), {
          module: "viewer/pages/scenarios/scenario.tsx",
        }),
      hide,
    )
    .get(
      "/shadow-diff/:id",
      async ({ request, params }) =>
        pageOf(request, await known.run(request, params.id), {
          module: "viewer/pages/shadow/page.tsx",
          answers: [`/v1/shadow-diff/${params.id.toLowerCase()}`],
        }),
      hide,
    )
    .get(
      "/runs",
      ({ request }) => deps.viewer.page(request, { needs: { module: "viewer/pages/runs/page.tsx" } }),
      hide,
    )
    .get(
      "/runs/:id",
      async ({ request, params }) =>
        pageOf(request, await known.run(request, params.id), { module: "viewer/pages/runs/run.tsx" }),
      hide,
    )
    .get(
      "/storage",
      ({ request }) => deps.viewer.page(request, { needs: { module: "viewer/pages/storage/page.tsx" } }),
      hide,
    )
    .get(
      "/compare",
      ({ request }) => deps.viewer.page(request, { needs: compareNeeds(new URL(request.url).searchParams) }),
      hide,
    )
    .get("/player", ({ request }) => deps.viewer.player(originOf(request, deps.config)), hide)
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
