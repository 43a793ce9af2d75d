import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { BEYOND_BILLING, RESERVED } from "../scopes.ts";
import { NewOrg, NewOwner, OrgChange, OrgList, OrgParams, OrgView, SwitchedOrg } from "./model.ts";
import {
  changeOrg,
  deleteOrg,
  leaveOrg,
  listMine,
  makeOrg,
  type Person,
  showOrg,
  switchOrg,
  transferOrg,
} from "./service.ts";

const TAGS = ["identity", "orgs"];
/** The person's own: no scope opens it. */
const OWN = { scope: null, person: true } as const;

/** Orgs: what they are, who owns them, and which one a session stands for. */
export function orgsRoutes(deps: Deps) {
  return new Elysia({ name: "orgs", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/orgs", ({ actor }) => listMine(deps, actor as Person), {
      auth: OWN,
      response: { 200: OrgList },
      detail: { operationId: "orgs.list", tags: TAGS, summary: "List the orgs that you belong to" },
    })
    .post(
      "/v1/orgs",
      async ({ actor, body, set }) => {
        set.status = 201;
        return makeOrg(deps, actor as Person, body);
      },
      {
        auth: OWN,
        body: NewOrg,
        response: { 201: OrgView },
        detail: {
          operationId: "orgs.create",
          tags: TAGS,
          summary: "Make an org, and become its owner",
          responses: { 409: { description: "`conflict`: the slug is taken, or you own 20 orgs." } },
        },
      },
    )
    .get("/v1/orgs/:id", ({ actor, params }) => showOrg(deps, actor, params.id), {
      auth: { scope: BEYOND_BILLING },
      params: OrgParams,
      response: { 200: OrgView },
      detail: { operationId: "orgs.show", tags: TAGS, summary: "The org, its plan and its settings" },
    })
    .patch("/v1/orgs/:id", ({ actor, params, body }) => changeOrg(deps, actor, params.id, body), {
      auth: { ...OWN, role: RESERVED.renameOrg },
      params: OrgParams,
      body: OrgChange,
      response: { 200: OrgView },
      detail: {
        operationId: "orgs.change",
        tags: TAGS,
        summary: "Rename the org, or open or close its public status",
      },
    })
    .delete(
      "/v1/orgs/:id",
      async ({ actor, params, query, set }) => {
        await deleteOrg(deps, actor as Person, params.id, query.slug);
        set.status = 204;
      },
      {
        auth: { ...OWN, role: RESERVED.deleteOrg },
        params: OrgParams,
        query: Type.Object({ slug: Type.String({ maxLength: 64, description: "The org's slug, typed." }) }),
        detail: {
          operationId: "orgs.delete",
          tags: TAGS,
          summary: "Delete the org with all that it has",
          description:
            "From now on nobody gets in, and links to its traces end. Traces, runs, scenarios, secrets, keys and members are removed in a while; what was done in it stays in the audit log.",
          responses: {
            204: { description: "The org is deleted." },
            409: { description: "`conflict`: the first org of a data folder cannot be deleted." },
          },
        },
      },
    )
    .post(
      "/v1/orgs/:id/transfer",
      async ({ actor, params, body, set }) => {
        await transferOrg(deps, actor as Person, params.id, body.user_id);
        set.status = 204;
      },
      {
        auth: { ...OWN, role: RESERVED.transferOrg },
        params: OrgParams,
        body: NewOwner,
        detail: {
          operationId: "orgs.transfer",
          tags: TAGS,
          summary: "Make another member the owner, and become an admin",
          responses: { 204: { description: "The member is the owner." } },
        },
      },
    )
    .post(
      "/v1/orgs/:id/leave",
      async ({ actor, params, set }) => {
        await leaveOrg(deps, actor as Person, params.id);
        set.status = 204;
      },
      {
        auth: OWN,
        params: OrgParams,
        detail: {
          operationId: "orgs.leave",
          tags: TAGS,
          summary: "Leave the org; sessions in it and personal tokens end",
          responses: {
            204: { description: "You belong to it no longer." },
            409: { description: "`conflict`: you are its last owner." },
          },
        },
      },
    )
    .post(
      "/v1/session/org",
      async ({ actor, body, set }) => {
        await switchOrg(deps, actor as Person, body.org_id);
        set.status = 204;
      },
      {
        auth: OWN,
        body: SwitchedOrg,
        detail: {
          operationId: "orgs.switch",
          tags: TAGS,
          summary: "Have the session stand for another of your orgs",
          responses: { 204: { description: "The session stands for that org." } },
        },
      },
    );
}
