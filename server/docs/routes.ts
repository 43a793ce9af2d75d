import { type AnyElysia, Elysia } from "elysia";
import { DOCS_SEARCH, PAGES } from "../../viewer/page-table.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../http/errors.ts";
import { keptJson } from "../http/kept-json.ts";
import { describeApi } from "../http/openapi/service.ts";
import { wantsMarkdown } from "../http/pages.ts";
import type { ApiDescription } from "./api.ts";
import { createDocs } from "./service.ts";
import { readPicture } from "./sources.ts";

/** The documentation, for everybody who reaches the server: it says nothing that the program's files do not. */
export function docsRoutes(deps: Deps, app: () => AnyElysia): AnyElysia {
  const hide = { detail: { hide: true } };
  const docs = createDocs({
    api: async () => (await describeApi(app(), deps.config.version)) as unknown as ApiDescription,
    commands: deps.commands,
    limits: deps.config.settings.rate_limits,
  });

  async function show(request: Request): Promise<Response> {
    const [, path = "", suffix] = /^(.*?)\/?(\.md)?$/.exec(new URL(request.url).pathname)!;
    if (suffix || wantsMarkdown(request)) {
      const text = await docs.markdown(path);
      if (text === null) throw notFound("This topic");
      return new Response(text, {
        headers: { "content-type": "text/markdown; charset=utf-8", vary: "accept" },
      });
    }
    const page = await docs.page(path);
    return page ? deps.viewer.docs(request, page) : deps.viewer.page(request, { isMissing: true });
  }

  /** A third of a megabyte. */
  const search = keptJson(() => docs.sections());

  const routes: AnyElysia = new Elysia({ name: "docs" })
    .get(DOCS_SEARCH, ({ request }) => search(request), hide)
    .get(
      "/docs/pictures/:name",
      async ({ params }) => {
        const picture = await readPicture(params.name);
        if (!picture) throw notFound("This picture");
        return new Response(picture, {
          headers: { "content-type": "image/png", "cache-control": "public, max-age=3600" },
        });
      },
      hide,
    );
  for (const path of PAGES.docs.paths) routes.get(path, ({ request }) => show(request), hide);
  return routes;
}
