import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { someOrgIds } from "../../../store/records/identity.ts";
import type { SigninShown } from "../../../viewer/pages/signin/shown.ts";
import type { Deps } from "../../deps.ts";
import { readJson, readLimited } from "../../http/body.ts";
import { AppError, errorBody } from "../../http/errors.ts";
import { isSecure } from "../../http/guard.ts";
import { createBodyCheck } from "../../http/validation.ts";
import { safeNext } from "../next-path.ts";
import { sessionCookie } from "../session-cookie.ts";
import { isSsoEnforced } from "./home.ts";
import type { Methods } from "./model.ts";

const MAX_FORM_BYTES = 16 * 1024;
const FORM = "application/x-www-form-urlencoded";

/** The ways in that this server has. Where its one org has enforced single sign-on, there is no other to be offered. */
export async function methodsOf(deps: Deps): Promise<Methods> {
  const { sso, codeHost } = deps.identityState;
  const isOnlySso = isSsoEnforced(deps) && (await someOrgIds(deps.store.records)).length < 2;
  return {
    password: !isOnlySso,
    link: !isOnlySso,
    is_mail_sent: deps.config.settings.notifications.smtp !== null,
    sso: sso?.name ?? null,
    code_host: isOnlySso ? null : (codeHost?.name ?? null),
  };
}

/** The sign-in page, drawn. */
export async function showSignin(
  deps: Deps,
  shown: Partial<Omit<SigninShown, "methods">>,
  answer: { status?: number; headers?: Record<string, string> } = {},
): Promise<Response> {
  const methods = await methodsOf(deps);
  const next = safeNext(shown.next);
  return deps.viewer.signin({ email: "", notice: null, link: null, ...shown, next, methods }, answer);
}

/** The fields of a form or of a JSON body. @throws AppError `invalid_request`, `unsupported_media_type`, `body_too_large` */
export async function readFields<Schema extends TSchema>(
  request: Request,
  schema: Schema,
): Promise<Schema["static"]> {
  const type = typeOf(request);
  if (type !== FORM && type !== "application/json")
    throw new AppError("unsupported_media_type", `The body must be JSON or a form (${FORM}).`);
  const body =
    type === FORM
      ? Object.fromEntries(
          new URLSearchParams(new TextDecoder().decode(await readLimited(request, MAX_FORM_BYTES))),
        )
      : ((await readJson(request, MAX_FORM_BYTES)) ?? null);
  createBodyCheck(schema)(body);
  return Value.Cast(schema, body);
}

/** Whether a page sent its form itself, so that the answer is a page. */
export const isForm = (request: Request): boolean => typeOf(request) === FORM;

/** Whether the answer is read by a program: it sends JSON, or asks for nothing else. */
function isProgram(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  return typeOf(request) === "application/json" || /^application\/json\b(?!.*html)/i.test(accept);
}

const typeOf = (request: Request): string =>
  request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Signed in: a page goes on, a program is told where to. */
export function signedIn(
  deps: Deps,
  request: Request,
  { token, next }: { token: string; next: string },
  cookies: string[] = [],
): Response {
  const headers = new Headers({ "cache-control": "no-store" });
  for (const cookie of [sessionCookie(token, isSecure(request, deps.config)), ...cookies])
    headers.append("set-cookie", cookie);
  if (typeOf(request) === "application/json") return Response.json({ next }, { headers });
  headers.set("location", next);
  return new Response(null, { status: request.method === "GET" ? 302 : 303, headers });
}

/** What went wrong, on the sign-in page or for a program. Anything but a refusal is thrown on. */
export async function refusal(
  deps: Deps,
  request: Request,
  error: unknown,
  shown: { next?: string | undefined; email?: string } = {},
): Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  const { status, headers, kind, message } = error;
  if (isProgram(request)) return Response.json(errorBody(kind, message), { status, headers });
  const page = deps.config.settings.sso.status_page_url;
  const link = kind === "sso_unavailable" && page ? { link: { href: page, words: "Does it work?" } } : {};
  const notice = { isError: true, text: message, ...link };
  return showSignin(deps, { email: "", ...shown, notice }, { status, headers });
}
