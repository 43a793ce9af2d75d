import { type AnyElysia, Elysia } from "elysia";
import { isViewerPath } from "../viewer/page-table.ts";
import { agentsRoutes } from "./agents/routes.ts";
import type { Deps } from "./deps.ts";
import { docsRoutes } from "./docs/routes.ts";
import { codeHostRoutes } from "./gate/code-host/routes.ts";
import { decisionsRoutes } from "./gate/decisions/routes.ts";
import { gatesRoutes } from "./gate/gates/routes.ts";
import { inboundDeliveriesRoutes } from "./gate/inbound-deliveries/routes.ts";
import { promoteRoutes } from "./gate/mender/promote-routes.ts";
import { menderRoutes } from "./gate/mender/routes.ts";
import { pullRequestsRoutes } from "./gate/pull-requests/routes.ts";
import { webhooksRoutes } from "./gate/webhooks/routes.ts";
import { commonHeaders, STRICT_TRANSPORT } from "./http/common-headers.ts";
import { createHostGuard, isSecure, refuseRepeatedParameters } from "./http/guard.ts";
import { type Handle, withHead } from "./http/head.ts";
import { healthRoutes } from "./http/health/routes.ts";
import { createMeasure } from "./http/measure.ts";
import { createErrorHandler } from "./http/on-error.ts";
import { openapiRoutes } from "./http/openapi/routes.ts";
import { viewerRoutes } from "./http/viewer/routes.ts";
import { agentSignupRoutes } from "./identity/agent-signup/routes.ts";
import { auditEventsRoutes } from "./identity/audit-events/routes.ts";
import { billingRoutes } from "./identity/billing/routes.ts";
import { invitationsRoutes } from "./identity/invitations/routes.ts";
import { keysRoutes } from "./identity/keys/routes.ts";
import { mailRoutes } from "./identity/mail/routes.ts";
import { meRoutes } from "./identity/me/routes.ts";
import { membersRoutes } from "./identity/members/routes.ts";
import { grantRoutes } from "./identity/oauth/grant-routes.ts";
import { oauthRoutes } from "./identity/oauth/routes.ts";
import { onboardingRoutes } from "./identity/onboarding/routes.ts";
import { orgsRoutes } from "./identity/orgs/routes.ts";
import { profileRoutes } from "./identity/profile/routes.ts";
import { scimRoutes } from "./identity/scim/routes.ts";
import { secretsRoutes } from "./identity/secrets/routes.ts";
import { sessionsRoutes } from "./identity/sessions/routes.ts";
import { signinRoutes } from "./identity/signin/routes.ts";
import { ssoRoutes } from "./identity/sso/routes.ts";
import { replaysRoutes } from "./run/replays/routes.ts";
import { runRecordRoutes } from "./run/runs/record-routes.ts";
import { runsRoutes } from "./run/runs/routes.ts";
import { scenariosRoutes } from "./run/scenarios/routes.ts";
import { shadowsRoutes } from "./run/shadows/routes.ts";
import { memberAccess } from "./trace/access.ts";
import { attemptsRoutes } from "./trace/attempts/routes.ts";
import { baselinesRoutes } from "./trace/baselines/routes.ts";
import { captureRoutes } from "./trace/capture/routes.ts";
import { chatsRoutes } from "./trace/chats/routes.ts";
import { diffsRoutes } from "./trace/diffs/routes.ts";
import { exportsRoutes } from "./trace/exports/routes.ts";
import { failuresRoutes } from "./trace/failures/routes.ts";
import { filesRoutes } from "./trace/files/routes.ts";
import { harRoutes } from "./trace/har/routes.ts";
import { historiesRoutes } from "./trace/histories/routes.ts";
import { ingestRoutes } from "./trace/ingest/routes.ts";
import { tracePageRoutes } from "./trace/pages/routes.ts";
import { playwrightViewerRoutes } from "./trace/playwright-viewer/routes.ts";
import { promptsRoutes } from "./trace/prompts/routes.ts";
import { traceReads } from "./trace/reads.ts";
import { savedSearchesRoutes } from "./trace/searches/routes.ts";
import { shareAccess } from "./trace/share/access.ts";
import { limitShareReads } from "./trace/share/limit.ts";
import { publicRoutes } from "./trace/share/public-routes.ts";
import { shareRoutes } from "./trace/share/routes.ts";
import { snapshotsRoutes } from "./trace/snapshots/routes.ts";
import { storageRoutes } from "./trace/storage/routes.ts";
import { testRunsRoutes } from "./trace/test-runs/routes.ts";
import { tiersRoutes } from "./trace/tiers/routes.ts";
import { tracesRoutes } from "./trace/traces/routes.ts";
import { availabilityRoutes } from "./watch/availability/routes.ts";
import { channelsRoutes } from "./watch/channels/routes.ts";
import { checksRoutes } from "./watch/checks/routes.ts";
import { deliveriesRoutes } from "./watch/deliveries/routes.ts";
import { deploymentsRoutes } from "./watch/deployments/routes.ts";
import { gridRoutes } from "./watch/grid/routes.ts";
import { incidentsRoutes } from "./watch/incidents/routes.ts";
import { maintenanceRoutes } from "./watch/maintenance/routes.ts";
import { preflightsRoutes } from "./watch/preflights/routes.ts";
import { statusRoutes } from "./watch/status/routes.ts";

type Noun = (deps: Deps) => AnyElysia;

/** Every noun that has endpoints, wing by wing. A list, since the type of one chain of all is deeper than the checker goes. */
const WINGS: Record<string, readonly Noun[]> = {
  identity: [
    keysRoutes,
    sessionsRoutes,
    meRoutes,
    secretsRoutes,
    mailRoutes,
    signinRoutes,
    auditEventsRoutes,
    agentSignupRoutes,
    orgsRoutes,
    membersRoutes,
    invitationsRoutes,
    onboardingRoutes,
    billingRoutes,
    (deps) => oauthRoutes(deps, agentTools),
    grantRoutes,
    scimRoutes,
    profileRoutes,
    ssoRoutes,
  ],
  trace: [
    ingestRoutes,
    captureRoutes,
    tracePageRoutes,
    tracesRoutes,
    (deps) => traceReads(deps, { prefix: "/v1/traces/:id", access: memberAccess(deps) }),
    (deps) => traceReads(deps, { prefix: "/r/:shortId", access: shareAccess(deps) }),
    savedSearchesRoutes,
    baselinesRoutes,
    attemptsRoutes,
    failuresRoutes,
    historiesRoutes,
    testRunsRoutes,
    diffsRoutes,
    filesRoutes,
    snapshotsRoutes,
    promptsRoutes,
    chatsRoutes,
    harRoutes,
    shareRoutes,
    publicRoutes,
    tiersRoutes,
    storageRoutes,
    exportsRoutes,
    playwrightViewerRoutes,
  ],
  run: [scenariosRoutes, runsRoutes, shadowsRoutes, runRecordRoutes, replaysRoutes],
  watch: [
    channelsRoutes,
    deliveriesRoutes,
    checksRoutes,
    availabilityRoutes,
    deploymentsRoutes,
    preflightsRoutes,
    maintenanceRoutes,
    incidentsRoutes,
    gridRoutes,
    statusRoutes,
  ],
  gate: [
    gatesRoutes,
    pullRequestsRoutes,
    decisionsRoutes,
    menderRoutes,
    promoteRoutes,
    codeHostRoutes,
    webhooksRoutes,
    inboundDeliveriesRoutes,
  ],
  agents: [agentsRoutes],
  server: [healthRoutes, viewerRoutes],
};

/** Loaded when somebody asks what agents are offered. */
const agentTools = async () => (await import("./agents/tools/all.ts")).TOOLS;

/** The whole server without its socket: guards first, then every noun of every wing. */
export function createApp(deps: Deps): AnyElysia {
  const guard = createHostGuard(deps.config);
  const measure = createMeasure(deps.metrics, deps.clock);
  const whole = (): AnyElysia => app;

  const app: AnyElysia = new Elysia({ name: "tracedeck" })
    .wrap((handle, request) => measure(withHead(handle as unknown as Handle, request)))
    .onRequest(({ request, set }) => {
      Object.assign(set.headers, commonHeaders(deps.ids.uuid()));
      guard.check(request);
      if (isSecure(request, deps.config)) Object.assign(set.headers, STRICT_TRANSPORT);
    })
    .onError({ as: "global" }, createErrorHandler({ log: deps.log, app: whole, viewer: deps.viewer }))
    .onBeforeHandle({ as: "global" }, ({ request, path }) => {
      // Pages keep their own state in the address.
      if (!isViewerPath(path)) refuseRepeatedParameters(request.url);
    })
    .onTransform({ as: "global" }, limitShareReads(deps));
  for (const noun of Object.values(WINGS).flat()) app.use(noun(deps));
  return app.use(openapiRoutes(deps, whole)).use(docsRoutes(deps, whole));
}
