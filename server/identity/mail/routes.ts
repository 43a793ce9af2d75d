import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../auth.ts";
import { MailList, MailListQuery, MailParams, OpenedMail } from "./model.ts";
import { listOutbox, openMail } from "./service.ts";

const TAGS = ["identity", "mail"];
const MANAGERS = { scope: null, role: ["owner", "admin"], person: true } as const;

/** What the server has written to people: the outbox. */
export function mailRoutes(deps: Deps) {
  return new Elysia({ name: "mail" })
    .use(authMacro(deps))
    .get("/v1/mail", ({ actor, query }) => listOutbox(deps, actor, query), {
      auth: MANAGERS,
      query: MailListQuery,
      response: { 200: MailList },
      detail: {
        operationId: "mail.list",
        tags: TAGS,
        summary: "List the mail that the server sends for the org, newest first",
        description: "Mail is kept for 30 days, at most 2,000 of an org.",
      },
    })
    .get("/v1/mail/:id", ({ actor, params }) => openMail(deps, actor, params.id), {
      auth: MANAGERS,
      params: MailParams,
      response: { 200: OpenedMail },
      detail: {
        operationId: "mail.show",
        tags: TAGS,
        summary: "Read a mail",
        description:
          "A link that lets its reader in is shown to nobody who may do less than the person whose account it opens, and to nobody once it was sent, used or has expired.",
      },
    });
}
