import { endpoint } from "@octokit/endpoint";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AnswerTooLargeError, boundedFetch } from "../../platform/bounded-fetch.ts";
import { type Clock, toIso } from "../../platform/clock.ts";
import { AccessToken, Installation } from "./answers.ts";
import { createTokenKeeper, endOf, signAppToken } from "./app-token.ts";
import { LONGEST_LIMIT_MS, refusal } from "./refusals.ts";
import type { CodeHostSettings } from "./settings.ts";
import { CodeHostError } from "./types.ts";

/** An answer of the host, understood. */
export interface HostAnswer<T> {
  data: T;
  /** Where the next page is, as the `link` header says it (RFC 8288); null on the last one. */
  next: string | null;
}

export interface Connection {
  readonly owner: string;
  readonly repo: string;
  /** Who asks: an app, or whoever a plain token belongs to. */
  readonly isApp: boolean;
  /**
   * Asks the host, as the app's installation or by the token.
   * @param route as the host's documentation writes it, e.g. `GET /repos/{owner}/{repo}/pulls/{pull_number}`; owner and repository are
   * known
   * @param as `app`: as the app itself, by its private key
   * @throws CodeHostError
   */
  call<T extends TSchema>(
    route: string,
    parameters: Record<string, unknown>,
    schema: T,
    options?: { as?: "app"; maxBytes?: number },
  ): Promise<HostAnswer<Static<T>>>;
  /** Every item of a list, page after page, `mostPages` at most. @throws CodeHostError */
  pages<T extends TSchema>(
    route: string,
    parameters: Record<string, unknown>,
    schema: T,
    options: { as?: "app"; mostPages: number; isEnough?: (page: Static<T>) => boolean },
  ): Promise<Static<T>[]>;
}

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const PATIENCE_MS = 30_000;
const REDIRECTS = 3;
const VERSION = "2022-11-28";

/**
 * The way to the host's REST API. Answers are bounded by bytes and time and read by their shapes; a limit that the host sets is
 * kept: until it ends nothing is asked. Credentials go to the API's own address alone.
 */
export function createConnection(settings: CodeHostSettings, clock: Pick<Clock, "now">): Connection {
  const base = settings.apiUrl.replace(/(?<!\/)\/+$/, "");
  const origin = new URL(base).origin;
  const [owner, repo] = settings.repository.split("/") as [string, string];
  let limitedUntil = 0;
  let installation: Promise<number> | null = null;
  const tokens = createTokenKeeper(clock.now, async () => {
    const { data } = await withInstallation((id) =>
      once(
        "POST /app/installations/{installation_id}/access_tokens",
        { installation_id: id, repositories: [repo] },
        AccessToken,
        { as: "app" },
      ),
    );
    return { token: data.token, expiresAt: endOf(data.expires_at, clock.now()) };
  });

  /** The installation that knows the repository; asked again when the one that we know is gone. */
  async function withInstallation<T>(use: (id: number) => Promise<T>): Promise<T> {
    const isKnown = installation !== null;
    installation ??= once("GET /repos/{owner}/{repo}/installation", {}, Installation, { as: "app" }).then(
      ({ data }) => data.id,
    );
    try {
      return await use(await installation);
    } catch (error) {
      installation = null;
      if (!isKnown || !(error instanceof CodeHostError) || error.kind !== "not_found") throw error;
      return withInstallation(use);
    }
  }

  async function credential(as: "app" | undefined): Promise<string> {
    const { credentials } = settings;
    if (credentials.kind === "token") return credentials.token;
    if (as === "app") return signAppToken(credentials.appId, credentials.privateKey, clock.now());
    return tokens.current();
  }

  async function once<T extends TSchema>(
    route: string,
    parameters: Record<string, unknown>,
    schema: T,
    { as, maxBytes = MAX_ANSWER_BYTES }: { as?: "app"; maxBytes?: number } = {},
  ): Promise<HostAnswer<Static<T>>> {
    const now = clock.now();
    if (limitedUntil > now && limitedUntil - now <= LONGEST_LIMIT_MS)
      throw new CodeHostError(
        "limited",
        `The code host asked us to wait until ${toIso(limitedUntil)}.`,
        limitedUntil,
      );
    const secret = await credential(as);
    const response = await send(route, parameters, secret, maxBytes);
    const text = await read(response, route);
    if (!response.ok) {
      const error = refusal({ route, response, text, now: clock.now() }, secret);
      if (error.kind === "limited") limitedUntil = error.retryAt ?? 0;
      if (response.status === 401) tokens.forget(secret);
      throw error;
    }
    const data = text === "" ? null : parse(text, route);
    if (!Value.Check(schema, data)) {
      const [first] = Value.Errors(schema, data);
      throw new CodeHostError("refused", `${what(route)} was answered without "${first?.path ?? ""}".`);
    }
    return { data, next: nextPage(response.headers.get("link")) };
  }

  async function send(
    route: string,
    parameters: Record<string, unknown>,
    secret: string,
    maxBytes: number,
  ): Promise<Response> {
    const request = endpoint(route as "GET /user", {
      baseUrl: base,
      ...(route.includes("{repo}") && { owner, repo }),
      ...parameters,
      headers: {
        authorization: `Bearer ${secret}`,
        "x-github-api-version": VERSION,
        "user-agent": "Tracedeck",
      },
    });
    const { method } = request;
    const body = "body" in request ? JSON.stringify(request.body) : undefined;
    let url: string = request.url;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    for (let hop = 0; ; hop++) {
      const response = await boundedFetch(
        url,
        { method, redirect: "manual", signal, headers: headersOf(request.headers), ...(body && { body }) },
        maxBytes,
      ).catch((error: unknown) => {
        throw unreachable(error, signal);
      });
      const to = redirectOf(response, url);
      if (to === null) return response;
      await response.body?.cancel();
      // A repository that was renamed is elsewhere on the same host. Nobody else gets the credential.
      const isKept = method === "GET" || response.status === 307 || response.status === 308;
      if (to.origin !== origin || !isKept || hop === REDIRECTS)
        throw new CodeHostError(
          "refused",
          `${what(route)} was answered with a redirect, which is not followed there. "code_host.api_url" and "code_host.repository" of settings.json must name where they are now.`,
        );
      url = to.href;
    }
  }

  async function call<T extends TSchema>(
    route: string,
    parameters: Record<string, unknown>,
    schema: T,
    options: { as?: "app"; maxBytes?: number } = {},
  ): Promise<HostAnswer<Static<T>>> {
    try {
      return await once(route, parameters, schema, options);
    } catch (error) {
      // An installation token may be withdrawn before its end.
      const isOld = error instanceof CodeHostError && error.kind === "unauthorized";
      if (!isOld || !error.isCredential || options.as || settings.credentials.kind === "token") throw error;
      return once(route, parameters, schema, options);
    }
  }

  return {
    owner,
    repo,
    isApp: settings.credentials.kind === "app",
    call,
    async pages(route, parameters, schema, { as, mostPages, isEnough }) {
      const found: Static<typeof schema>[] = [];
      let more: Record<string, string> | null = {};
      for (let page = 0; more !== null && page < mostPages; page++) {
        const answer: HostAnswer<Static<typeof schema>> = await call(
          route,
          { per_page: 100, ...parameters, ...more },
          schema,
          { as },
        );
        found.push(answer.data);
        if (isEnough?.(answer.data)) break;
        more = answer.next === null ? null : pageOf(answer.next);
      }
      return found;
    },
  };
}

const headersOf = (headers: Record<string, string | number | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** What was asked, for people. */
const what = (route: string): string => `The request “${route}” to the code host`;

async function read(response: Response, route: string): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (error instanceof AnswerTooLargeError)
      throw new CodeHostError("refused", `${what(route)} was answered with more than we read.`);
    throw unreachable(error, null);
  }
}

/** Ids may be larger than a number holds exactly: those are text. */
function parse(text: string, route: string): unknown {
  try {
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
        ? (context?.source ?? value)
        : value,
    );
  } catch {
    throw new CodeHostError(
      "refused",
      `${what(route)} was not answered with JSON. Is "code_host.api_url" of settings.json the address of the API?`,
    );
  }
}

function unreachable(error: unknown, signal: AbortSignal | null): CodeHostError {
  const why = signal?.aborted
    ? `gave no answer within ${PATIENCE_MS / 1000} s`
    : `cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
  return new CodeHostError("unreachable", `The code host ${why}.`);
}

function redirectOf(response: Response, from: string): URL | null {
  if (response.status < 300 || response.status > 399 || response.status === 304) return null;
  const location = response.headers.get("location");
  return location === null ? null : URL.parse(location, from);
}

function nextPage(link: string | null): string | null {
  return link?.match(/<([^<>]+)>\s*;\s*rel="next"/)?.[1] ?? null;
}

/** Of the address of the next page only what says which one it is: the rest is ours. */
function pageOf(address: string): Record<string, string> | null {
  const query = URL.parse(address, "http://host")?.searchParams;
  const named = ["page", "cursor", "after"].flatMap((name) => {
    const value = query?.get(name);
    return value ? [[name, value]] : [];
  });
  return named.length > 0 ? Object.fromEntries(named) : null;
}
