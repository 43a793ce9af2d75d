import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import examples from "@octokit/webhooks-examples";
import { jwtVerify } from "jose";
import { readDescription } from "./description.ts";
import { type HostModel, iso, type ModelDelivery, type ModelPull, showPull } from "./model.ts";
import { createRepository, type Files } from "./repository.ts";
import { hostRoutes, type Reply } from "./routes.ts";

export type Payload = Record<string, unknown>;

const APP_ID = 424_242;
const SECRET = "It's a Secret to Everybody";
const USER_TOKEN = "ghp_0123456789abcdef";
const BASE = "/api/v3";
const HOUR_MS = 60 * 60_000;
const description = readDescription();
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** What a test has the host do instead of answering: `slow` answers after so many ms, `hang` never. */
export type Failure =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | { hangs: true }
  | { slowMs: number };

export type HostApi = ReturnType<typeof startHostApi>;

/**
 * A code host on loopback with one real git repository. Every request is held against the host's published description, and so is
 * every answer; what does not fit is refused with 400 and makes `close` throw. It remembers what it was sent.
 * @param options.now epoch ms, the clock by which tokens end
 */
export function startHostApi(options: { now?: () => number; repository?: string } = {}) {
  const now = options.now ?? Date.now;
  const fullName = options.repository ?? "acme/shop";
  const repository = createRepository();
  repository.commit("main", { "README.md": "# Shop\n" });
  const model: HostModel = {
    ...{ repository, fullName, pulls: [], comments: [], checkRuns: [], deployments: [], deliveries: [] },
    nextId: 1,
  };
  const tokens = new Map<string, number>();
  const failures: { matches: (request: string) => boolean; failure: Failure; left: number }[] = [];
  const mismatches: string[] = [];
  const requests: string[] = [];
  let receive: ((request: Request) => Response | Promise<Response>) | null = null;
  let installationId = 77;
  const routes = hostRoutes(model, async (id) => {
    const known = model.deliveries.find((one) => one.id === id);
    if (known) await send({ ...known, id: nextDeliveryId(), isRedelivery: true });
    return known !== undefined;
  });
  /** Far enough apart that what a number makes of them still tells which one is meant. */
  const nextDeliveryId = () => String(900_719_925_474_099_301n + 1000n * BigInt(model.nextId++));
  const digitsOf = (rounded: number) => model.deliveries.find(({ id }) => Number(id) === rounded)?.id;

  /** Sends what a delivery holds to wherever the webhook leads, and keeps what came of it. */
  async function send(delivery: ModelDelivery): Promise<Response | null> {
    model.deliveries.push(delivery);
    delivery.deliveredAt = now();
    delivery.status = 0;
    if (!receive) return null;
    const { headers, body } = delivery;
    const response = await receive(
      new Request("http://localhost/v1/webhooks/github", { method: "POST", headers, body }),
    );
    delivery.status = response.status;
    return response;
  }

  /** Who asks; null for a credential that does not open this. */
  async function loginOf(request: Request, path: string): Promise<string | null> {
    const secret = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    const isForApp = path.startsWith("/app") || path.endsWith("/installation");
    if (secret.split(".").length === 3) {
      const currentDate = new Date(now());
      const { payload } = await jwtVerify(secret, keys.publicKey, {
        issuer: String(APP_ID),
        currentDate,
      }).catch(() => ({ payload: null }));
      const isShort = payload !== null && payload.exp! - now() / 1000 <= 600;
      return isForApp && isShort ? "app" : null;
    }
    if (isForApp) return null;
    if (secret === USER_TOKEN) return "ada";
    return (tokens.get(secret) ?? 0) > now() ? "tracedeck[bot]" : null;
  }

  async function answer(request: Request): Promise<Reply> {
    const url = new URL(request.url);
    const path = url.pathname.slice(BASE.length);
    requests.push(`${request.method} ${path}${url.search}`);
    const failure = failures.find((one) => one.left > 0 && one.matches(`${request.method} ${path}`));
    if (failure) {
      failure.left -= 1;
      const { failure: how } = failure;
      if ("hangs" in how) await new Promise(() => {});
      else if ("slowMs" in how) await Bun.sleep(how.slowMs);
      else if ("status" in how)
        return {
          status: how.status,
          body: how.body ?? { message: "Told to fail" },
          headers: how.headers ?? {},
        };
    }
    const operation = url.pathname.startsWith(BASE) ? description.find(request.method, path) : null;
    if (!operation) return mismatch(`${request.method} ${path}: no such operation`);
    const text = await request.text();
    const body = text === "" ? undefined : JSON.parse(text);
    const problems = operation.problems(url.searchParams, body);
    if (problems.length > 0) return mismatch(`${request.method} ${path}: ${problems.join("; ")}`);
    const { owner, repo } = operation.parameters;
    if (owner !== undefined && `${owner}/${repo}` !== fullName)
      return { status: 404, body: { message: "Not Found" } };
    const login = await loginOf(request, path);
    if (login === null) return { status: 401, body: { message: "Bad credentials" } };
    if (login === "ada" && path.includes("/check-runs"))
      return { status: 403, body: { message: "You must authenticate via a GitHub App." } };
    const route =
      routes[`${operation.method} ${operation.path}`] ?? own[`${operation.method} ${operation.path}`];
    if (!route) return mismatch(`${request.method} ${path}: the stand-in does not do that`);
    const reply = await route({
      values: operation.parameters,
      query: url.searchParams,
      body: body ?? {},
      login,
      now: now(),
      url: `${url.origin}${url.pathname}`,
    });
    if (reply.status >= 400) return reply;
    return { ...reply, body: operation.answer(reply.status, reply.body) };
  }

  /** The app's own operations. */
  const own: ReturnType<typeof hostRoutes> = {
    "get /app": () => ({ status: 200, body: { id: APP_ID, slug: "tracedeck" } }),
    "get /user": ({ login }) =>
      login === "ada"
        ? { status: 200, body: { id: 1, login, type: "User" } }
        : { status: 403, body: { message: "Resource not accessible by integration" } },
    "get /repos/{owner}/{repo}/installation": () => ({
      status: 200,
      body: { id: installationId, app_id: APP_ID },
    }),
    "post /app/installations/{installation_id}/access_tokens": ({ values }) => {
      if (Number(values.installation_id) !== installationId)
        return { status: 404, body: { message: "Not Found" } };
      const token = `ghs_${randomUUID().replaceAll("-", "")}`;
      tokens.set(token, now() + HOUR_MS);
      return { status: 201, body: { token, expires_at: iso(now() + HOUR_MS) } };
    },
  };

  function mismatch(text: string): Reply {
    mismatches.push(text);
    return { status: 400, body: { message: text } };
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      try {
        const { status, body, headers } = await answer(request);
        const text = JSON.stringify(body ?? null).replace(
          /"id":(\d{16,})/g,
          (_, rounded) => `"id":${digitsOf(Number(rounded))}`,
        );
        return new Response(status === 204 ? null : text, {
          status,
          headers: { "content-type": "application/json; charset=utf-8", ...headers },
        });
      } catch (error) {
        const { status, body } = mismatch(String(error));
        return Response.json(body, { status });
      }
    },
  });
  const apiUrl = `http://127.0.0.1:${server.port}${BASE}`;
  const common = { api_url: apiUrl, repository: fullName };

  return {
    apiUrl,
    /** `code_host` of settings.json: as an app, and by a person's token. */
    asApp: {
      ...common,
      app_id: APP_ID,
      private_key: keys.privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
      webhook_secret: SECRET,
    },
    asToken: { ...common, token: USER_TOKEN },
    model,
    repository,
    /** What was asked, as `GET /repos/acme/shop/pulls?state=open`, in order. */
    requests,
    mismatches,
    /** Opens a pull request of a branch with files changed on `base`. */
    openPull(files: Files, more: Partial<ModelPull> = {}): ModelPull {
      const number = model.nextId++;
      const headRef = more.headRef ?? `change-${number}`;
      const headSha = repository.commit(headRef, files, { from: more.baseRef ?? "main" });
      const pull: ModelPull = {
        ...{ number, title: `Change ${number}`, body: null, author: "ada", state: "open", isMerged: false },
        ...{ isDraft: false, headRef, headSha, headRepository: fullName, baseRef: "main", updatedAt: now() },
        ...more,
      };
      model.pulls.push(pull);
      return pull;
    },
    /** One more commit on a pull request. @returns its hash */
    push(pull: ModelPull, files: Files): string {
      pull.headSha = repository.commit(pull.headRef, files);
      pull.updatedAt = now();
      return pull.headSha;
    },
    deploy(sha: string, url: string | null, more: { state?: string; isProduction?: boolean } = {}) {
      model.deployments.push({
        id: model.nextId++,
        sha,
        url,
        state: "success",
        isProduction: false,
        ...more,
      });
    },
    /** Has requests (`GET /repos/…`) that match fail the next `times` times. */
    fail(matches: RegExp, failure: Failure, times = 1) {
      failures.push({ matches: (request) => matches.test(request), failure, left: times });
    },
    /** Nothing fails any more. */
    mend: () => void failures.splice(0),
    /** Withdraws every installation token, and with `reinstalled` the installation itself. */
    withdrawTokens({ reinstalled = false } = {}) {
      tokens.clear();
      if (reinstalled) installationId += 1;
    },
    /** Where the webhook leads; null: nobody is there. */
    sendsTo(receiver: typeof receive) {
      receive = receiver;
    },
    /**
     * Sends a webhook with a good signature.
     * @returns the answer; null when nobody is there
     */
    async deliver(event: string, payload: Payload, guid: string = randomUUID()): Promise<Response | null> {
      const body = JSON.stringify(payload);
      const action = typeof payload.action === "string" ? payload.action : null;
      const headers = signedHeaders(event, body, guid);
      const id = nextDeliveryId();
      return send({ id, guid, event, action, headers, body, deliveredAt: 0, isRedelivery: false, status: 0 });
    },
    /** The payload of an event about a pull request as it stands. */
    pullPayload(action: string, pull: ModelPull, more: Payload = {}): Payload {
      const base = example("pull_request", "opened");
      const pull_request = { ...(base.pull_request as Payload), ...showPull(model, pull) };
      return { ...base, action, number: pull.number, pull_request, repository: repositoryPayload(), ...more };
    },
    /** The host's published example of an event, about our repository, with fields of its main object changed. */
    payload(event: string, action: string | null, changes: Payload = {}): Payload {
      return { ...deepMerge(example(event, action), changes), repository: repositoryPayload() };
    },
    close() {
      server.stop(true);
      repository.close();
      if (mismatches.length > 0)
        throw new Error(`The code host does not take this:\n${mismatches.join("\n")}`);
    },
  };

  function repositoryPayload(): Payload {
    return {
      ...(example("pull_request", "opened").repository as Payload),
      full_name: fullName,
      default_branch: "main",
      pushed_at: Math.floor(now() / 1000),
    };
  }
}

/** What the host sends along with a body. */
export function signedHeaders(
  event: string,
  body: string | Uint8Array,
  guid: string = randomUUID(),
  secret = SECRET,
) {
  return {
    "content-type": "application/json",
    host: "localhost",
    "user-agent": "GitHub-Hookshot/0a1b2c3",
    "x-github-event": event,
    "x-github-delivery": guid,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
}

/** A copy of the host's published example of an event. @throws Error when there is none */
export function example(event: string, action: string | null): Payload {
  const { examples: all } = examples.find(({ name }) => name === event)!;
  const found = (all as unknown as Payload[]).find((one) => action === null || one.action === action);
  if (!found) throw new Error(`There is no example of ${event} ${action}.`);
  return structuredClone(found);
}

function deepMerge(into: Payload, changes: Payload): Payload {
  const merged = { ...into };
  for (const [key, value] of Object.entries(changes)) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    const before = merged[key];
    merged[key] =
      isObject && typeof before === "object" && before !== null
        ? deepMerge(before as Payload, value as Payload)
        : value;
  }
  return merged;
}
