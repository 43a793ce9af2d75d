import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { AppError } from "../../http/errors.ts";
import { isSecure, refuseForeignOrigin } from "../../http/guard.ts";
import { authMacro, optionalActor } from "../auth.ts";
import { publicBase } from "../public-base.ts";
import { sessionCookie } from "../session-cookie.ts";
import { deviceOf } from "../sessions/open.ts";
import { acceptInvitation, lookAtInvitation } from "./accept.ts";
import {
  Acceptance,
  Accepted,
  CreatedInvitation,
  HeldInvitation,
  InvitationList,
  InvitationParams,
  NewInvitation,
  OpenedInvitation,
} from "./model.ts";
import { invite, listOpen, revoke } from "./service.ts";

const TAGS = ["identity", "invitations"];
const MANAGE = { scope: "members:manage" } as const;
const GONE = {
  404: { description: "`not_found`: the link was used, revoked or replaced, has expired, or is none." },
};

/** Asking people to join the org, and joining. */
export function invitationsRoutes(deps: Deps) {
  /** Who opens the link in a browser; a key invites and does not join. */
  async function visitorOf(request: Request) {
    refuseForeignOrigin(request, deps.config.publicUrl);
    const actor = await optionalActor(deps, request, new URL(request.url).pathname);
    return actor?.type === "session" ? actor : null;
  }

  /** Counts links that are none per address. */
  async function limited<Result>(request: Request, work: () => Promise<Result>): Promise<Result> {
    deps.anonymousLimits.check("sign_in", request);
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && error.kind === "not_found")
        deps.anonymousLimits.take("failed_sign_in", request);
      throw error;
    }
  }

  return new Elysia({ name: "invitations", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/invitations", ({ actor }) => listOpen(deps, actor), {
      auth: MANAGE,
      response: { 200: InvitationList },
      detail: {
        operationId: "invitations.list",
        tags: TAGS,
        summary: "List the org's invitations that can still be accepted",
      },
    })
    .post(
      "/v1/invitations",
      async ({ actor, body, set }) => {
        set.status = 201;
        return invite(deps, actor, body, publicBase(deps));
      },
      {
        auth: MANAGE,
        body: NewInvitation,
        response: { 201: CreatedInvitation },
        detail: {
          operationId: "invitations.create",
          tags: TAGS,
          summary: "Invite an address into the org, for 7 days",
          description:
            "The link works once, for that address alone; inviting it again ends the earlier link. The answer is the same whether somebody of that address is known here or not. Only an owner invites owners.",
          responses: { 409: { description: "`conflict`: there are 200 open invitations." } },
        },
      },
    )
    .delete(
      "/v1/invitations/:id",
      async ({ actor, params, set }) => {
        await revoke(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: MANAGE,
        params: InvitationParams,
        detail: {
          operationId: "invitations.revoke",
          tags: TAGS,
          summary: "Revoke an invitation at once",
          responses: { 204: { description: "The link works no longer." } },
        },
      },
    )
    .post(
      "/v1/invitations/open",
      ({ request, body }) =>
        limited(request, async () => lookAtInvitation(deps, await visitorOf(request), body.token)),
      {
        auth: null,
        body: HeldInvitation,
        response: { 200: OpenedInvitation },
        detail: {
          operationId: "invitations.open",
          tags: TAGS,
          summary: "See what an invitation's link invites to",
          security: [],
          responses: GONE,
        },
      },
    )
    .post(
      "/v1/invitations/accept",
      ({ request, body, set }) =>
        limited(request, async () => {
          const visitor = await visitorOf(request);
          const { session, ...accepted } = await acceptInvitation(
            deps,
            visitor,
            body,
            deviceOf(deps, request),
          );
          if (session !== null)
            set.headers["set-cookie"] = sessionCookie(session, isSecure(request, deps.config));
          return accepted;
        }),
      {
        auth: null,
        body: Acceptance,
        response: { 200: Accepted },
        detail: {
          operationId: "invitations.accept",
          tags: TAGS,
          summary: "Join an org by an invitation's link",
          description:
            "As whoever is signed in with the invitation's address, or as somebody new, who is signed in by it. Who has an account signs in first.",
          security: [],
          responses: {
            ...GONE,
            401: { description: "`unauthorized`: the address has an account; sign in with it first." },
            403: {
              description:
                "`forbidden`: you are signed in with another address, or the org's people sign in by the identity provider alone; doing so accepts the invitation.",
            },
          },
        },
      },
    );
}
