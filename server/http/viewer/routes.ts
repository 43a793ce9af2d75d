import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { notFound } from "../errors.ts";

/** The viewer's page at the paths that are nothing but the viewer, and the files that it loads. */
export function viewerRoutes(deps: Pick<Deps, "viewer">) {
  const hide = { detail: { hide: true } };
  return new Elysia({ name: "viewer" })
    .get("/", ({ request }) => deps.viewer.page(request), hide)
    .get("/traces", ({ request }) => deps.viewer.page(request), hide)
    .get("/traces/:id", ({ request }) => deps.viewer.page(request), hide)
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
