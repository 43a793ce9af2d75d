import { type AnyElysia, Elysia } from "elysia";
import { pageRows } from "../../../viewer/page-table.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../errors.ts";
import { originOf } from "../guard.ts";
import { createKnown } from "./known.ts";

/** The viewer's page at the paths that are nothing but the viewer, and the files that it loads. */
export function viewerRoutes(deps: Pick<Deps, "viewer" | "config" | "store" | "credentials">): AnyElysia {
  const hide = { detail: { hide: true } };
  const known = createKnown(deps);
  const isThere = {
    run: (request: Request, { id = "" }: Record<string, string>) => known.run(request, id),
    "test run": (request: Request, { testRun = "" }: Record<string, string>) =>
      known.testRun(request, testRun),
    incident: (request: Request, { id = "" }: Record<string, string>) => known.incident(request, id),
    fix: (request: Request, { id = "" }: Record<string, string>) => known.fix(request, id),
    scenario: (request: Request, { slug = "" }: Record<string, string>) => known.scenario(request, slug),
  };
  const app: AnyElysia = new Elysia({ name: "viewer" })
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

  for (const [, { paths, module, about, answers, isAnsweredByNoun }] of pageRows) {
    if (isAnsweredByNoun || !module) continue;
    const show = async (request: Request, params: Record<string, string>) => {
      // The page of one thing: where there is none it says so, and so does the status.
      if (about && !(await isThere[about](request, params)))
        return deps.viewer.page(request, { isMissing: true });
      const needs = { module, answers: answers?.(params, new URL(request.url).searchParams) ?? [] };
      return deps.viewer.page(request, { needs });
    };
    for (const path of paths) app.get(path, ({ request, params }) => show(request, params), hide);
  }
  return app;
}
