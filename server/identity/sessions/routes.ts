import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { isSecure } from "../../http/guard.ts";
import { authMacro } from "../auth.ts";
import { sessionCookie } from "../session-cookie.ts";
import { EndedSessions, SessionList } from "./model.ts";
import { endOtherSessions, endSession, listOwnSessions, signOut } from "./service.ts";

const TAGS = ["identity", "sessions"];
/** The person\'s own: no scope opens it. */
const OWN = { scope: null, person: true } as const;

/** Where a user is signed in, and signing out. */
export function sessionsRoutes(deps: Deps) {
  return new Elysia({ name: "sessions" })
    .use(authMacro(deps))
    .get("/v1/sessions", ({ actor }) => listOwnSessions(deps, actor), {
      auth: OWN,
      response: { 200: SessionList },
      detail: {
        operationId: "sessions.list",
        tags: TAGS,
        summary: "List where the user is signed in, the last seen first",
        description: "For a person who is signed in: keys and tokens have no sessions.",
      },
    })
    .delete(
      "/v1/sessions/:id",
      async ({ actor, params, set }) => {
        await endSession(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: OWN,
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        detail: {
          operationId: "sessions.end",
          tags: TAGS,
          summary: "End one of the user's sessions at once",
          responses: { 204: { description: "The session has ended." } },
        },
      },
    )
    .delete("/v1/sessions", ({ actor }) => endOtherSessions(deps, actor), {
      auth: OWN,
      response: { 200: EndedSessions },
      detail: {
        operationId: "sessions.end_others",
        tags: TAGS,
        summary: "End all of the user's sessions but this one, at once",
      },
    })
    .post(
      "/v1/session/signout",
      async ({ actor, request, set }) => {
        if (actor.type === "session") await signOut(deps, actor);
        set.headers["set-cookie"] = sessionCookie("", isSecure(request, deps.config));
        set.status = 204;
      },
      {
        auth: { scope: null },
        detail: {
          operationId: "sessions.signout",
          tags: TAGS,
          summary: "End the session of the cookie",
          responses: { 204: { description: "The session has ended." } },
        },
      },
    );
}
