import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { confirmEmail, requestEmail } from "./email.ts";
import { EmailChange, EmailConfirmation, PasswordChange, Profile, ProfileChange } from "./model.ts";
import { setPassword } from "./password.ts";
import { changeProfile, showProfile } from "./service.ts";

const TAGS = ["identity", "profile"];
const ANY = { scope: null, person: true } as const;

/** What people change of themselves. It takes a session: no key or token may. */
export function profileRoutes(deps: Deps) {
  return new Elysia({ name: "profile", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/profile", ({ actor }) => showProfile(deps, actor), {
      auth: ANY,
      response: { 200: Profile },
      detail: {
        operationId: "profile.show",
        tags: TAGS,
        summary: "The signed-in user, and how they sign in",
      },
    })
    .patch("/v1/profile", ({ actor, body }) => changeProfile(deps, actor, body), {
      auth: ANY,
      body: ProfileChange,
      response: { 200: Profile },
      detail: { operationId: "profile.update", tags: TAGS, summary: "Change the name or the default org" },
    })
    .put(
      "/v1/profile/password",
      async ({ actor, body, set }) => {
        await setPassword(deps, actor, body);
        set.status = 204;
      },
      {
        auth: ANY,
        body: PasswordChange,
        detail: {
          operationId: "profile.set_password",
          tags: TAGS,
          summary: "Set or change the password",
          description: "The user's other sessions end at once.",
          responses: { 204: { description: "The password is another one." } },
        },
      },
    )
    .post(
      "/v1/profile/email",
      async ({ actor, body, set }) => {
        await requestEmail(deps, actor, body);
        set.status = 202;
      },
      {
        auth: ANY,
        body: EmailChange,
        detail: {
          operationId: "profile.request_email",
          tags: TAGS,
          summary: "Ask for another address: a link is sent there",
          responses: { 202: { description: "A link is on its way to the new address." } },
        },
      },
    )
    .post("/v1/profile/email/confirm", ({ actor, body }) => confirmEmail(deps, actor, body.code), {
      auth: ANY,
      body: EmailConfirmation,
      response: { 200: Type.Object({ email: Type.String() }) },
      detail: {
        operationId: "profile.confirm_email",
        tags: TAGS,
        summary: "Make the address of a link one's own",
      },
    });
}
