import { createHash } from "node:crypto";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import type { TestApp } from "./app.ts";
import { pathOf } from "./traces.ts";

export const ORIGIN = "http://localhost";
export const CALLBACK = "http://127.0.0.1:7777/callback";
export const VERIFIER = "v".repeat(43);
export const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

export interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}

/** Whoever asks: `testApp`'s own call, or a fetch to a server elsewhere. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Asks the app without its key. */
export const anonymous =
  (t: Pick<TestApp, "api">): Ask =>
  (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", "");
    return t.api(path, { ...init, headers });
  };

/** The cookie of a new session of the org's owner. */
export async function ownerCookie(t: TestApp, orgId = t.orgId): Promise<string> {
  const { url } = await createSigninLink(t.deps, { orgId, base: ORIGIN });
  return cookieOf(await anonymous(t)(pathOf(url)));
}

export const cookieOf = (response: Response): string => response.headers.get("set-cookie")!.split(";")[0]!;

export const form = (fields: Record<string, string>): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString(),
});

export async function register(ask: Ask, metadata: Record<string, unknown> = {}): Promise<string> {
  const response = await ask("/api/oauth/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Agent", redirect_uris: [CALLBACK], ...metadata }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as { client_id: string }).client_id;
}

/** The query of an authorization request; a field that is null is left out. */
export function requestOf(clientId: string, fields: Record<string, string | null> = {}): string {
  const all: Record<string, string | null> = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: "S256",
    resource: ORIGIN,
    state: "s1",
    ...fields,
  };
  const given = Object.entries(all).filter((field): field is [string, string] => field[1] !== null);
  return new URLSearchParams(given).toString();
}

/** Opens the page that asks. */
export const authorize = (ask: Ask, request: string, cookie = ""): Promise<Response> =>
  ask(`/api/oauth/authorize?${request}`, {
    headers: { accept: "text/html", cookie },
    redirect: "manual",
  });

/** The fields of the form on the page that asks. */
export function fieldsOf(html: string): Record<string, string> {
  const fields = html.matchAll(/<input type="(?:hidden|radio)" name="(\w+)" value="([^"]*)"( checked)?/g);
  const found: Record<string, string> = {};
  for (const [, name, value] of fields) found[name!] ??= value!.replaceAll("&amp;", "&");
  return found;
}

/** Sends the form as the browser would. */
export const answer = (
  ask: Ask,
  cookie: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { origin: ORIGIN },
): Promise<Response> => {
  const init = form(fields);
  return ask("/api/oauth/authorize", {
    ...init,
    headers: { ...(init.headers as Record<string, string>), accept: "text/html", cookie, ...headers },
    redirect: "manual",
  });
};

/** Goes the whole way as a person who allows what is asked; the address that the browser is sent to. */
export async function allow(
  ask: Ask,
  cookie: string,
  request: string,
  { origin = ORIGIN, fields = {} as Record<string, string> } = {},
): Promise<URL> {
  const page = await authorize(ask, request, cookie);
  if (page.status === 302) return new URL(page.headers.get("location")!);
  const html = await page.text();
  if (page.status !== 200) throw new Error(html);
  const sent = { ...fieldsOf(html), decision: "allow", ...fields };
  const answered = await answer(ask, cookie, sent, { origin });
  if (answered.status !== 303) throw new Error(await answered.text());
  return new URL(answered.headers.get("location")!);
}

export const tradeCode = (
  ask: Ask,
  clientId: string,
  code: string,
  fields: Record<string, string> = {},
): Promise<Response> =>
  ask(
    "/api/oauth/token",
    form({
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      code_verifier: VERIFIER,
      redirect_uri: CALLBACK,
      ...fields,
    }),
  );

export const refresh = (
  ask: Ask,
  clientId: string,
  token: string,
  fields: Record<string, string> = {},
): Promise<Response> =>
  ask(
    "/api/oauth/token",
    form({ grant_type: "refresh_token", client_id: clientId, refresh_token: token, ...fields }),
  );

/** A client with tokens of the session's person. */
export async function connect(
  ask: Ask,
  cookie: string,
  fields: Record<string, string | null> = {},
  more: { clientId?: string; origin?: string } = {},
): Promise<{ clientId: string; code: string; tokens: Tokens }> {
  const clientId = more.clientId ?? (await register(ask));
  const request = requestOf(clientId, fields);
  const back = await allow(ask, cookie, request, more.origin ? { origin: more.origin } : {});
  const code = back.searchParams.get("code");
  if (code === null) throw new Error(back.href);
  const response = await tradeCode(ask, clientId, code);
  if (response.status !== 200) throw new Error(await response.text());
  return { clientId, code, tokens: (await response.json()) as Tokens };
}

export const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

/** Status and code of an OAuth error. */
export async function refusal(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { error: string }).error];
}
