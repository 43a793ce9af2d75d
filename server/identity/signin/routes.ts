import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { checkOrigin, isSecure } from "../../http/guard.ts";
import { isHead } from "../../http/head.ts";
import { authMacro } from "../auth.ts";
import { safeNext } from "../next-path.ts";
import { limitedSignIn } from "../sessions/service.ts";
import { comeBack, goToProvider, type ProviderKind } from "./external.ts";
import { endFlow } from "./flow-cookie.ts";
import { lookAtLink, requestLink, signInByLink } from "./magic-link.ts";
import { FORMS, LinkRequest, LinkUse, Methods, PasswordSignIn, SignedIn } from "./model.ts";
import { isForm, methodsOf, readFields, refusal, showSignin, signedIn } from "./page.ts";
import { signInByPassword } from "./password.ts";

const TAGS = ["identity", "signin"];
const PAGE = {
  description: "The sign-in page.",
  content: { "text/html": { schema: { type: "string" as const } } },
};
const NextQuery = Type.Object({
  next: Type.Optional(Type.String({ maxLength: 4_000, description: "Path to go to afterwards." })),
});
const SENT = "If there is an account with that address, a link is on its way. It works once, for 10 minutes.";
const LINK_IS_OVER = "This link was used before or has expired. Ask for a new one.";

/** Every way in. What pages send as forms they are answered with pages, so that signing in needs no script. */
export function signinRoutes(deps: Deps) {
  const app = new Elysia({ name: "signin" })
    .use(authMacro(deps))
    .get(
      "/signin",
      async ({ request, query }) => {
        const { code, next } = query;
        // Mail and chat programs look at links with HEAD before anyone opens them.
        if (code === undefined || isHead(request)) return showSignin(deps, { next: next ?? "/" });
        try {
          const token = await limitedSignIn(deps, code, request);
          return signedIn(deps, request, { token, next: safeNext(next) });
        } catch (error) {
          return refusal(deps, request, error, { next });
        }
      },
      {
        query: Type.Composite([
          NextQuery,
          Type.Object({
            code: Type.Optional(Type.String({ maxLength: 200, description: "One-time sign-in code." })),
          }),
        ]),
        detail: {
          operationId: "signin.show",
          tags: TAGS,
          summary: "Sign in with a one-time code of the terminal, or see the sign-in page",
          security: [],
          responses: { 200: PAGE, 302: { description: "Signed in; the session cookie is set." } },
        },
      },
    )
    .get("/v1/session/methods", () => methodsOf(deps), {
      response: { 200: Methods },
      detail: {
        operationId: "signin.methods",
        tags: TAGS,
        summary: "The ways to sign in that this server offers",
        security: [],
      },
    })
    .post(
      "/v1/session/password",
      async ({ request }) => {
        let email = "";
        let next: string | undefined;
        try {
          checkOrigin(request, deps.config.publicUrl);
          const fields = await readFields(request, PasswordSignIn);
          ({ email, next } = fields);
          const token = await signInByPassword(deps, fields, request);
          return signedIn(deps, request, { token, next: safeNext(next) });
        } catch (error) {
          return refusal(deps, request, error, { email, next });
        }
      },
      {
        parse: "none",
        detail: {
          operationId: "signin.password",
          tags: TAGS,
          summary: "Sign in with an address and its password",
          description:
            "Needs the `Origin` of this server. The answer is the same for an address that nobody has.",
          security: [],
          requestBody: FORMS.password,
          responses: signedInAnswers,
        },
      },
    )
    .post(
      "/v1/session/magic-link",
      async ({ request }) => {
        let email = "";
        let next: string | undefined;
        try {
          checkOrigin(request, deps.config.publicUrl);
          const fields = await readFields(request, LinkRequest);
          ({ email, next } = fields);
          await requestLink(deps, fields, request);
          if (!isForm(request)) return Response.json({ message: SENT }, { status: 202 });
          return showSignin(deps, { email, next: safeNext(next), notice: { isError: false, text: SENT } });
        } catch (error) {
          return refusal(deps, request, error, { email, next });
        }
      },
      {
        parse: "none",
        detail: {
          operationId: "signin.request_link",
          tags: TAGS,
          summary: "Ask for a link to sign in with, by mail",
          description:
            "Needs the `Origin` of this server. The answer is the same for an address that nobody has. At most 3 links go to an address within 10 minutes.",
          security: [],
          requestBody: FORMS.link,
          responses: { 200: PAGE, 202: { description: "Asked for; for a JSON body." } },
        },
      },
    )
    .get(
      "/signin/link",
      async ({ query }) => {
        const email = await lookAtLink(deps, query.code);
        if (email !== null) return showSignin(deps, { link: { code: query.code, email } });
        return showSignin(deps, { notice: { isError: true, text: LINK_IS_OVER } }, { status: 401 });
      },
      {
        query: Type.Object({
          code: Type.String({ maxLength: 200, description: "Of the link in the mail." }),
        }),
        detail: {
          operationId: "signin.open_link",
          tags: TAGS,
          summary: "The page of a link by mail, whose button uses it",
          description: "Looking at it uses nothing up, since programs look at links in mail.",
          security: [],
          responses: { 200: PAGE, 401: PAGE },
        },
      },
    )
    .post(
      "/v1/session/magic-link/use",
      async ({ request }) => {
        try {
          checkOrigin(request, deps.config.publicUrl);
          const { code } = await readFields(request, LinkUse);
          return signedIn(deps, request, await signInByLink(deps, code, request));
        } catch (error) {
          return refusal(deps, request, error);
        }
      },
      {
        parse: "none",
        detail: {
          operationId: "signin.use_link",
          tags: TAGS,
          summary: "Sign in with a link by mail, once",
          description: "Needs the `Origin` of this server.",
          security: [],
          requestBody: FORMS.use,
          responses: signedInAnswers,
        },
      },
    );

  const isSafe = (request: Request) => isSecure(request, deps.config);
  for (const [kind, path, word] of WAYS_OUT) {
    app.get(
      path,
      async ({ request, query }) => {
        try {
          if (isHead(request)) return await showSignin(deps, { next: query.next ?? "/" });
          const { location, cookie } = await goToProvider(deps, kind, query.next, request);
          const headers = new Headers({ location, "cache-control": "no-store" });
          if (cookie !== null) headers.append("set-cookie", cookie);
          return new Response(null, { status: 302, headers });
        } catch (error) {
          return refusal(deps, request, error, { next: query.next });
        }
      },
      {
        query: NextQuery,
        detail: {
          operationId: `signin.${word}`,
          tags: TAGS,
          summary: `Go to the ${NAMES[kind]} to sign in`,
          security: [],
          responses: { 302: { description: "To the provider." }, 503: { description: "`sso_unavailable`" } },
        },
      },
    );
    app.get(
      `${path}/callback`,
      async ({ request }) => {
        try {
          return signedIn(deps, request, await comeBack(deps, kind, request), [endFlow(isSafe(request))]);
        } catch (error) {
          const answer = await refusal(deps, request, error);
          answer.headers.append("set-cookie", endFlow(isSafe(request)));
          return answer;
        }
      },
      {
        detail: {
          operationId: `signin.${word}_callback`,
          tags: TAGS,
          summary: `Come back from the ${NAMES[kind]}`,
          description: "Works in the browser that went there, within 10 minutes.",
          security: [],
          responses: {
            302: { description: "Signed in; the session cookie is set." },
            401: PAGE,
            403: PAGE,
            503: PAGE,
          },
        },
      },
    );
  }
  return app;
}

const WAYS_OUT: readonly (readonly [ProviderKind, string, string])[] = [
  ["sso", "/signin/sso", "sso"],
  ["code_host", "/signin/code-host", "code_host"],
];
const NAMES: Record<ProviderKind, string> = { sso: "identity provider", code_host: "code host" };
const signedInAnswers = {
  200: {
    description: "Signed in; for a JSON body.",
    content: { "application/json": { schema: SignedIn } },
  },
  303: { description: "Signed in; for a form." },
  401: PAGE,
  403: PAGE,
};
