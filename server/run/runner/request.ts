import { type APIRequestContext, type BrowserContext, request as requests } from "playwright-core";
import type { Header } from "../../trace/format/event.ts";
import { StepFailure } from "../errors.ts";
import type { Action } from "../language/ast.ts";
import type { Deadline, Environment } from "./environment.ts";
import { guardSent } from "./secret-origins.ts";

type RequestAction = Omit<Extract<Action, { verb: "request" }>, "url"> & { url: string };

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

interface Answer {
  status: number;
  statusText: string;
  headers: Header[];
  text: string;
}

/**
 * Sends a request as the page's browser would, with its cookies, and records it as the page's own are.
 * @throws StepFailure when the answer has another status than the one that was asked for
 */
export async function sendRequest(
  environment: Environment,
  { method, url, body, status }: RequestAction,
  deadline: Deadline,
): Promise<void> {
  const data = body === null ? null : environment.values.resolve(body);
  const headers: Record<string, string> =
    data !== null && isJson(data) ? { "content-type": "application/json" } : {};
  const answer = await fetchAndRecord(
    environment,
    { method, url, headers, body: data },
    deadline.remaining(),
  );
  environment.lastResponse = isJson(answer.text) ? { value: JSON.parse(answer.text) } : null;
  if (status !== null && answer.status !== status)
    throw new StepFailure(`${method} ${url} was answered with ${answer.status}, not ${status}.`, {
      expected: String(status),
      received: String(answer.status),
    });
}

/**
 * Sends what no page sends: a scenario's own request (of the type `api`, as in Playwright's archives), or what a replay sends again. No
 * redirect is followed, so that nothing goes further than it was sent.
 * @param timeout ms. @throws RunnerError `secret_not_allowed`, what Playwright throws, or StepFailure when a past has no answer
 */
export async function fetchAndRecord(environment: Environment, sent: Sent, timeout: number): Promise<Answer> {
  const { recorder, redactor, clock } = environment;
  const { method, url, headers, body } = sent;
  guardSent(environment, url, [...Object.values(headers), body ?? ""]);
  const id = `request-${recorder.eventCount}`;
  recorder.emit("network.request", {
    request_id: id,
    method,
    url: redactor.url(url),
    headers: redactor.headers(Object.entries(headers).map(([name, value]) => ({ name, value }))),
    ...(body !== null && { body: recorder.body(body) }),
    resource_type: "api",
  });
  const started = clock.monotonic();
  const answer = environment.playback?.isServing
    ? await fromPlayback(environment.playback, sent)
    : await fromTarget(environment, sent, timeout);
  recorder.emit("network.response", {
    request_id: id,
    method,
    url: redactor.url(url),
    status: answer.status,
    status_text: answer.statusText,
    headers: redactor.headers(answer.headers),
    body: recorder.body(answer.text),
    body_size: Buffer.byteLength(answer.text),
    media_type: mediaType(answer.headers),
    duration_ms: Math.round(clock.monotonic() - started),
    resource_type: "api",
  });
  return answer;
}

/** By the clone whose address it is, else over the network. */
async function fromTarget(
  { clones, context, excludeOrigins, proxy, reach, signal }: Environment,
  { method, url, headers, body }: Sent,
  timeout: number,
): Promise<Answer> {
  const clone = clones.at(url, method);
  if (!clone) {
    const ask = async (client: APIRequestContext): Promise<Answer> => {
      const response = await client.fetch(url, {
        method,
        headers,
        timeout,
        maxRedirects: 0,
        ...(body !== null && { data: body }),
      });
      return {
        status: response.status(),
        statusText: response.statusText(),
        headers: response.headersArray(),
        text: await response.text(),
      };
    };
    const isUnmarked = excludeOrigins.has(new URL(url).origin);
    return reach.to(() => (isUnmarked ? unmarked(context, proxy, ask) : ask(context.request)));
  }
  const response = await clones.answer(clone, {
    method,
    url: new URL(url),
    headers,
    body: Buffer.from(body ?? ""),
    signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeout))]),
  });
  return {
    status: response.status,
    statusText: "",
    headers: Object.entries(response.headers).map(([name, value]) => ({ name, value })),
    text: Buffer.from(response.body as string).toString(),
  };
}

async function fromPlayback(
  playback: NonNullable<Environment["playback"]>,
  { method, url, body }: Sent,
): Promise<Answer> {
  const served = await playback.answer({ method, url, body });
  if (!served) throw new StepFailure(`The source trace holds no answer to ${method} ${url}.`);
  const { response } = served;
  if (response.error !== null) throw new StepFailure(`${method} ${url}: ${response.error}`);
  return {
    status: response.status,
    statusText: "",
    headers: response.headers,
    text: new TextDecoder().decode(served.body),
  };
}

/** The context's own client adds its headers to everything: one beside it, with the same cookies, does not. */
async function unmarked(
  context: BrowserContext,
  proxy: string | null,
  ask: (client: APIRequestContext) => Promise<Answer>,
): Promise<Answer> {
  const client = await requests.newContext({
    storageState: await context.storageState(),
    ...(proxy && { proxy: { server: proxy } }),
  });
  try {
    const answer = await ask(client);
    const { cookies } = await client.storageState();
    await context.addCookies(cookies);
    return answer;
  } finally {
    await client.dispose();
  }
}

const mediaType = (headers: readonly Header[]): string =>
  headers
    .find(({ name }) => name.toLowerCase() === "content-type")
    ?.value.split(";")[0]
    ?.trim() ?? "";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
