import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { originOf } from "../../http/guard.ts";
import { isHead } from "../../http/head.ts";
import { describable, OAuthError } from "../../http/oauth-error.ts";
import { ownOrigins } from "../../http/own-origins.ts";
import { noticePage } from "../../http/pages.ts";
import { readSessionCookie } from "../session-cookie.ts";
import { choicesOf, grantCode, knownAnswer, type Person } from "./authorize.ts";
import { requireClient } from "./clients.ts";
import { consentPage, isCsrfToken, type ToolName } from "./consent-page.ts";
import { answerUrl, type Demand, readDemand, readTarget, type Target } from "./demand.ts";
import { type Form, readForm, readParameters, requireField } from "./form.ts";

const PATH = "/api/oauth/authorize";
const MAX_REQUEST = 8 * 1024;

/**
 * A browser comes with a program's request: the person is asked, sent to sign in, or sent back with an answer. As long as it
 * is not known where to, what is wrong is told on a page.
 */
export function showAuthorize(
  deps: Deps,
  request: Request,
  loadTools: () => Promise<readonly ToolName[]>,
): Promise<Response> {
  return onPage(request, async () => {
    const text = new URL(request.url).search.slice(1);
    const form = readRequest(text);
    const target = await limitedTarget(deps, request, form);
    const readAll = () => readDemand(form, ownOrigins(request, deps.config));
    const signedIn = await personOf(deps, request);
    if (!signedIn) {
      // Anybody may register a program. Who is not signed in is led to none of their addresses (RFC 9700, section 4.11.2).
      readAll();
      return toSignIn(request, text);
    }
    const { person, sessionToken } = signedIn;
    return orTell(target, request, deps, async () => {
      const demand = readAll();
      const choices = await choicesOf(deps, person, demand);
      const known = isHead(request) ? null : await knownAnswer(deps, person, target, demand, choices);
      if (known) return sendCode(deps, request, person, target, demand, known);
      const [first, ...more] = choices;
      return consentPage({
        target,
        choices: [first!, ...more],
        scopes: demand.scopes,
        tools: await loadTools(),
        request: text,
        sessionToken,
      });
    });
  });
}

/** The person has answered. */
export function answerAuthorize(deps: Deps, request: Request): Promise<Response> {
  return onPage(request, async () => {
    const form = await readForm(request);
    const text = requireField(form, "request");
    const signedIn = await personOf(deps, request);
    if (!signedIn) return toSignIn(request, text);
    const { person, sessionToken } = signedIn;
    if (!isCsrfToken(requireField(form, "csrf"), sessionToken, text))
      throw new OAuthError(
        "access_denied",
        "This form is not one of your session. Start again in the program.",
      );
    const wanted = readRequest(text);
    const target = await limitedTarget(deps, request, wanted);
    return orTell(target, request, deps, async () => {
      const demand = readDemand(wanted, ownOrigins(request, deps.config));
      if (form.get("decision") !== "allow") throw new OAuthError("access_denied", "The person has refused.");
      const choices = await choicesOf(deps, person, demand);
      const choice = choices.find(({ orgId }) => orgId === form.get("org"));
      if (!choice) throw new OAuthError("access_denied", "The organisation cannot be chosen.");
      return sendCode(deps, request, person, target, demand, { choice, why: "asked" });
    });
  });
}

async function sendCode(
  deps: Deps,
  request: Request,
  person: Person,
  target: Target,
  demand: Demand,
  allowed: Parameters<typeof grantCode>[4],
): Promise<Response> {
  const code = await grantCode(deps, person, target, demand, allowed);
  return goTo(request, answerUrl(target, originOf(request, deps.config), { code }));
}

function readRequest(text: string): Form {
  if (text.length > MAX_REQUEST)
    throw new OAuthError("invalid_request", `The request may have at most ${MAX_REQUEST} characters.`);
  return readParameters(text);
}

/** Whoever tries many clients is slowed down, as those are who try many keys. */
async function limitedTarget(deps: Deps, request: Request, form: Form): Promise<Target> {
  deps.anonymousLimits.check("failed_authentication", request);
  try {
    const client = await requireClient(deps, requireField(form, "client_id"), {
      ip: deps.addressOf(request),
      admit: () => void deps.anonymousLimits.take("registration", request),
    });
    return readTarget(form, client);
  } catch (error) {
    if (error instanceof OAuthError) deps.anonymousLimits.count("failed_authentication", request);
    throw error;
  }
}

/** Who is signed in by cookie: a key has nobody who could be asked. */
async function personOf(
  deps: Deps,
  request: Request,
): Promise<{ person: Person; sessionToken: string } | null> {
  const sessionToken = readSessionCookie(request.headers.get("cookie") ?? "");
  if (sessionToken === null) return null;
  try {
    const credential = await deps.credentials.check(request, PATH);
    if (credential?.principal.type !== "session") return null;
    const person = { credential, userId: credential.principal.userId, ip: deps.addressOf(request) };
    return { person, sessionToken };
  } catch (error) {
    if (error instanceof AppError && error.kind === "unauthorized") return null;
    throw error;
  }
}

/** The program is told what is wrong with its request, by way of the browser. */
async function orTell(
  target: Target,
  request: Request,
  { config }: Deps,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const told = { error: error.oauth, error_description: describable(error.message) };
    return goTo(request, answerUrl(target, originOf(request, config), told));
  }
}

/** The person is told what is wrong. Programs that look here get it as JSON. */
async function onPage(request: Request, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const isLooking = request.headers.get("accept")?.includes("text/html");
    if (!(error instanceof AppError) || !isLooking) throw error;
    const status = error.status === 401 ? 400 : error.status;
    const page = noticePage(status, "This program cannot be let in", error.message, "/docs/agents");
    for (const [name, value] of Object.entries(error.headers)) page.headers.set(name, value);
    return page;
  }
}

/** To the sign-in page, with the way back to the question. */
function toSignIn(request: Request, text: string): Response {
  return goTo(request, `/signin?next=${encodeURIComponent(`${PATH}?${text}`)}`);
}

/** A browser that has sent a form goes on with GET. Neither address is to be kept or told to anybody. */
function goTo({ method }: Request, location: string): Response {
  return new Response(null, {
    status: method === "GET" ? 302 : 303,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });
}
