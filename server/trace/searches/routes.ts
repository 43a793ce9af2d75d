import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { NewSavedSearch, SavedSearch, SavedSearchChange, SavedSearchList } from "./model.ts";
import { changeSavedSearch, forgetSearch, listSavedSearches, saveSearch } from "./service.ts";

const TAGS = ["trace", "searches"];
const READ = { scope: "traces:read" } as const;
const WRITE = { scope: "traces:write" } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });
const CONFLICT = { 409: { description: "The name is taken, or there are 100 of them." } };

/** Searches that an org keeps under a name. */
export function savedSearchesRoutes(deps: Deps) {
  return new Elysia({ name: "searches" })
    .use(authMacro(deps))
    .get("/v1/saved-searches", ({ actor }) => listSavedSearches(deps, actor), {
      auth: READ,
      response: { 200: SavedSearchList },
      detail: {
        operationId: "searches.list",
        tags: TAGS,
        summary: "The org's saved searches, in their order",
      },
    })
    .post(
      "/v1/saved-searches",
      async ({ actor, body, set }) => {
        set.status = 201;
        return saveSearch(deps, actor, body);
      },
      {
        auth: WRITE,
        body: NewSavedSearch,
        response: { 201: SavedSearch },
        detail: {
          operationId: "searches.create",
          tags: TAGS,
          summary: "Save a search under a name",
          responses: CONFLICT,
        },
      },
    )
    .patch(
      "/v1/saved-searches/:id",
      ({ actor, params, body }) => changeSavedSearch(deps, actor, params.id, body),
      {
        auth: WRITE,
        params: Params,
        body: SavedSearchChange,
        response: { 200: SavedSearch },
        detail: {
          operationId: "searches.change",
          tags: TAGS,
          summary: "Rename a saved search, change what it looks for, or its place",
          responses: CONFLICT,
        },
      },
    )
    .delete(
      "/v1/saved-searches/:id",
      async ({ actor, params, set }) => {
        await forgetSearch(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: WRITE,
        params: Params,
        detail: {
          operationId: "searches.remove",
          tags: TAGS,
          summary: "Forget a saved search",
          responses: { 204: { description: "It is gone." } },
        },
      },
    );
}
