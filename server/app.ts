import { type AnyElysia, Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { createHostGuard, refuseRepeatedParameters } from "./http/guard.ts";
import { type Handle, withHead } from "./http/head.ts";
import { healthRoutes } from "./http/health/routes.ts";
import { createErrorHandler } from "./http/on-error.ts";
import { openapiRoutes } from "./http/openapi/routes.ts";
import { viewerRoutes } from "./http/viewer/routes.ts";
import { keysRoutes } from "./identity/keys/routes.ts";
import { meRoutes } from "./identity/me/routes.ts";
import { sessionsRoutes } from "./identity/sessions/routes.ts";
import { captureRoutes } from "./trace/capture/routes.ts";
import { ingestRoutes } from "./trace/ingest/routes.ts";

export type App = ReturnType<typeof createApp>;

/** The whole server without its socket: guards first, then every noun of every wing. */
export function createApp(deps: Deps) {
  const guard = createHostGuard(deps.config);
  const whole = (): AnyElysia => app;

  const app = new Elysia({ name: "tracedeck" })
    .wrap((handle, request) => withHead(handle as unknown as Handle, request))
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = deps.ids.uuid();
      set.headers["x-content-type-options"] = "nosniff";
      set.headers["referrer-policy"] = "same-origin";
      guard.check(request);
    })
    .onError({ as: "global" }, createErrorHandler({ log: deps.log, app: whole }))
    .onBeforeHandle({ as: "global" }, ({ request }) => refuseRepeatedParameters(request.url))
    // identity
    .use(keysRoutes(deps))
    .use(sessionsRoutes(deps))
    .use(meRoutes(deps))
    // trace
    .use(ingestRoutes(deps))
    .use(captureRoutes(deps))
    // the server itself
    .use(healthRoutes(deps))
    .use(openapiRoutes(deps, whole))
    .use(viewerRoutes(deps));
  return app;
}
