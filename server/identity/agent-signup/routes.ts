import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { authMacro } from "../auth.ts";
import { KeyView } from "../keys/model.ts";
import { CreatedSignup, NewSignup, SignupCode, SignupGrant, SignupView } from "./model.ts";
import { grantSignup, lookUpSignup, refuseSignup, signUp } from "./service.ts";

const TAGS = ["identity", "agent-signup"];
const DECIDE = { scope: "keys:manage", role: ["owner", "admin"] } as const;
const NOT_FOUND = { 404: { description: "No agent waits under this code." } };

/** Agents that ask for a token by themselves, and the people who decide. */
export function agentSignupRoutes(deps: Deps) {
  return new Elysia({ name: "agent-signup", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .post(
      "/v1/agent-signup",
      async ({ body, request, set }) => {
        const signup = await signUp(deps, body, { request, origin: publicOriginOf(request, deps.config) });
        set.status = 201;
        set.headers["cache-control"] = "no-store";
        return signup;
      },
      {
        auth: null,
        body: NewSignup,
        response: { 201: CreatedSignup },
        detail: {
          operationId: "agent-signup.request",
          tags: TAGS,
          summary: "As an agent that nobody knows: ask for a service token",
          description:
            "Only where `agent_signup` in settings.json allows it. The token may read and ends after a day unless one of the org's owners or admins verifies it. Show your person `user_code` and `verification_uri`. `GET /api/v1/me` tells the scopes of the moment.",
          responses: {
            403: { description: "The settings do not allow it." },
            409: { description: "`conflict`: too many agents wait." },
            429: { description: "Too many sign-ups from this address." },
          },
        },
      },
    )
    .post(
      "/v1/agent-signup/lookup",
      ({ actor, body, request }) => lookUpSignup(deps, actor, body.user_code, request),
      {
        auth: DECIDE,
        body: SignupCode,
        response: { 200: SignupView },
        detail: {
          operationId: "agent-signup.lookup",
          tags: TAGS,
          summary: "Which agent waits under a code, and what for",
          responses: NOT_FOUND,
        },
      },
    )
    .post("/v1/agent-signup/grant", ({ actor, body, request }) => grantSignup(deps, actor, body, request), {
      auth: DECIDE,
      body: SignupGrant,
      response: { 200: KeyView },
      detail: {
        operationId: "agent-signup.grant",
        tags: TAGS,
        summary: "Verify an agent: its token gets these scopes",
        responses: NOT_FOUND,
      },
    })
    .post(
      "/v1/agent-signup/refuse",
      async ({ actor, body, request, set }) => {
        await refuseSignup(deps, actor, body.user_code, request);
        set.status = 204;
      },
      {
        auth: DECIDE,
        body: SignupCode,
        detail: {
          operationId: "agent-signup.refuse",
          tags: TAGS,
          summary: "Refuse an agent: its token ends",
          responses: { 204: { description: "The token has ended." }, ...NOT_FOUND },
        },
      },
    );
}
