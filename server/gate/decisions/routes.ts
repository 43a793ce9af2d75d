import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { AppError } from "../../http/errors.ts";
import { refuseForeignOrigin } from "../../http/guard.ts";
import { authMacro, optionalActor } from "../../identity/auth.ts";
import { bytesAnswer } from "../../trace/docs.ts";
import { DecisionAnswer, DecisionRequest, TokenQuery } from "./model.ts";
import { decidedPage, decisionPage, refusedPage } from "./page.ts";
import { decideAsPerson, decideByLink, openDecision } from "./service.ts";

const TAGS = ["gate", "decisions"];
const PATH = "/v1/gate/decision";
const REFUSALS = {
  401: { description: "`unauthorized`: the link has ended, was altered, or leads to nothing." },
  409: { description: "`conflict`: it was decided before, or the commit is not judged any more." },
};
const PAGE = bytesAnswer(
  "text/html",
  "A page that works without scripts; JSON for who does not ask for HTML.",
);

/** Deciding on a gate: by the one-shot links of its comment, and as somebody who is signed in. */
export function decisionsRoutes(deps: Deps) {
  return new Elysia({ name: "decisions", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get(
      PATH,
      ({ request, query }) =>
        asAsked(request, async () => {
          const { gate, claims } = await openDecision(deps, query.token);
          if (isForPage(request)) return decisionPage(gate, claims.act, query.token);
          return Response.json({
            gate_id: gate.id,
            head_sha: gate.head_sha,
            decision: claims.act,
            decided: false,
          });
        }),
      {
        query: TokenQuery,
        detail: {
          operationId: "decisions.preview",
          tags: TAGS,
          security: [],
          summary: "What a link of a gate's comment would decide",
          description: "It decides nothing: link previews fetch it.",
          responses: { 200: PAGE, ...REFUSALS },
        },
      },
    )
    .post(
      PATH,
      ({ request, query, path }) =>
        asAsked(request, async () => {
          refuseForeignOrigin(request, deps.config.publicUrl);
          const person = await optionalActor(deps, request, path);
          const gate = await decideByLink(deps, query.token, { person, ip: deps.addressOf(request) });
          if (isForPage(request)) return decidedPage(gate);
          return Response.json({
            gate_id: gate.id,
            head_sha: gate.head_sha,
            decision: gate.decision,
            decided: true,
          });
        }),
      {
        parse: "none",
        query: TokenQuery,
        detail: {
          operationId: "decisions.use",
          tags: TAGS,
          security: [],
          summary: "Decide on a gate by a link of its comment; both links are used up",
          responses: { 200: PAGE, ...REFUSALS },
        },
      },
    )
    .post(
      "/v1/gates/:id/decision",
      async ({ actor, params, body }) => {
        const { id, decision, decided_by } = await decideAsPerson(deps, actor, params.id, body.decision);
        return { gate_id: id, decision: decision!, decided_by: decided_by! };
      },
      {
        auth: { scope: "runs:write", person: true },
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        body: DecisionRequest,
        response: { 200: DecisionAnswer },
        detail: {
          operationId: "decisions.decide",
          tags: TAGS,
          summary: "Approve or reject what a gate judged",
          description: "It outweighs the verdict, for this commit, and can be done once.",
          responses: { 409: REFUSALS[409] },
        },
      },
    );
}

const isForPage = (request: Request): boolean =>
  /(?:^|,)\s*text\/html\s*(?:;|,|$)/i.test(request.headers.get("accept") ?? "");

/** Who opened a link in a browser is told in a page. */
async function asAsked(request: Request, answer: () => Promise<Response>): Promise<Response> {
  try {
    const response = await answer();
    response.headers.set("cache-control", "no-store");
    return response;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || !isForPage(request)) throw error;
    return refusedPage(error.status, error.message);
  }
}
