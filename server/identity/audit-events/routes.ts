import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { AuditExportQuery, AuditPage, AuditQuery, AuditVerification, toVerification } from "./model.ts";
import { exportAuditEvents, listAuditEvents } from "./service.ts";

const TAGS = ["identity", "audit-events"];
/** Of people, owners and admins have it. */
const READ = { scope: "audit:read" } as const;

/** Who did what in the org, as a chain of hashes. */
export function auditEventsRoutes(deps: Deps) {
  return new Elysia({ name: "audit-events", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/audit-events", ({ actor, query }) => listAuditEvents(deps, actor, query), {
      auth: READ,
      query: AuditQuery,
      response: { 200: AuditPage },
      detail: {
        operationId: "audit-events.list",
        tags: TAGS,
        summary: "List what was done in the org, newest first",
        description: "For owners and admins, and for keys that one of them gave `audit:read`.",
      },
    })
    .get(
      "/v1/audit-events/export",
      ({ actor, query }) => {
        const { body, type, fileName } = exportAuditEvents(deps, actor, query);
        return new Response(body, {
          headers: {
            "content-type": type,
            "content-disposition": `attachment; filename="${fileName}"`,
            "cache-control": "no-store",
          },
        });
      },
      {
        auth: READ,
        query: AuditExportQuery,
        detail: {
          operationId: "audit-events.export",
          tags: TAGS,
          summary: "All entries in the order of the chain, as NDJSON or CSV",
          description: "In a cell of the CSV that begins like a formula an apostrophe stands first.",
          responses: {
            200: {
              description: "An entry on each line.",
              content: {
                "application/x-ndjson": { schema: { type: "string" } },
                "text/csv": { schema: { type: "string" } },
              },
            },
          },
        },
      },
    )
    .get(
      "/v1/audit-events/verification",
      async ({ actor }) => toVerification(await deps.auditTrail.verify(actor.orgId)),
      {
        auth: READ,
        response: { 200: AuditVerification },
        detail: {
          operationId: "audit-events.verify",
          tags: TAGS,
          summary: "Whether the chain is whole, and what its signed checkpoints say",
          description: "The whole chain is gone through; what was found is remembered for a minute.",
        },
      },
    );
}
