import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { isSecure } from "../../http/guard.ts";
import { isHead } from "../../http/head.ts";
import { authMacro } from "../auth.ts";
import { sessionCookie } from "../session-cookie.ts";
import { limitedSignIn, safeNext, signOut } from "./service.ts";

const TAGS = ["identity", "sessions"];

/** Signing in with a one-time link, and out. */
export function sessionsRoutes(deps: Deps) {
  return new Elysia({ name: "sessions" })
    .use(authMacro(deps))
    .get(
      "/signin",
      async ({ request, query }) => {
        // Mail and chat programs look at links with HEAD before anyone opens them.
        if (query.code === undefined || isHead(request)) return deps.viewer.page(request);
        const token = await limitedSignIn(deps, query.code, request);
        return new Response(null, {
          status: 302,
          headers: {
            location: safeNext(query.next),
            "set-cookie": sessionCookie(token, isSecure(request, deps.config)),
            "cache-control": "no-store",
          },
        });
      },
      {
        query: Type.Object({
          code: Type.Optional(Type.String({ maxLength: 200, description: "One-time sign-in code." })),
          next: Type.Optional(Type.String({ description: "Path to go to afterwards." })),
        }),
        detail: {
          operationId: "sessions.signin",
          tags: TAGS,
          summary: "Sign in with a one-time code, or see the sign-in page",
          security: [],
          responses: {
            200: {
              description: "The sign-in page.",
              content: { "text/html": { schema: { type: "string" } } },
            },
            302: { description: "Signed in; the session cookie is set." },
          },
        },
      },
    )
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
