import { type AnyElysia, Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { keptJson } from "../kept-json.ts";
import { describeApi } from "./service.ts";

/** The machine-readable description of the API, made when somebody asks for the first time. */
export function openapiRoutes(deps: Pick<Deps, "config">, app: () => AnyElysia) {
  const answer = keptJson(() => describeApi(app(), deps.config.version));
  const show = ({ request }: { request: Request }) => answer(request);
  const hide = { detail: { hide: true } };
  return new Elysia({ name: "openapi" }).get("/openapi.json", show, hide).get("/v1/openapi.json", show, hide);
}
