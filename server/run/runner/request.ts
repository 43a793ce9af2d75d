import type { Header } from "../../trace/format/event.ts";
import type { Action } from "../language/ast.ts";
import type { Deadline, Environment } from "./environment.ts";
import { StepFailure } from "./failure.ts";

type RequestAction = Omit<Extract<Action, { verb: "request" }>, "url"> & { url: string };

/**
 * Sends a request as the page's browser would, with its cookies, and records it as the page's own are.
 * @throws StepFailure when the answer has another status than the one that was asked for
 */
export async function sendRequest(
  environment: Environment,
  { method, url, body, status }: RequestAction,
  deadline: Deadline,
): Promise<void> {
  const { values, recorder, redactor, clock } = environment;
  const data = body === null ? undefined : values.resolve(body);
  const headers: Record<string, string> =
    data !== undefined && isJson(data) ? { "content-type": "application/json" } : {};
  const id = `request-${recorder.eventCount}`;
  recorder.emit("network.request", {
    request_id: id,
    method,
    url: redactor.url(url),
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    ...(data !== undefined && { body: recorder.body(data) }),
    resource_type: "fetch",
  });
  const started = clock.monotonic();
  const response = await answered(environment, { method, url, headers, data }, deadline);
  const { text } = response;
  recorder.emit("network.response", {
    request_id: id,
    method,
    url: redactor.url(url),
    status: response.status,
    status_text: response.statusText,
    headers: redactor.headers(response.headers),
    body: recorder.body(text),
    body_size: Buffer.byteLength(text),
    media_type: mediaType(response.headers),
    duration_ms: Math.round(clock.monotonic() - started),
    resource_type: "fetch",
  });
  environment.lastResponse = isJson(text) ? { value: JSON.parse(text) } : null;
  if (status !== null && response.status !== status)
    throw new StepFailure(`${method} ${url} was answered with ${response.status}, not ${status}.`, {
      expected: String(status),
      received: String(response.status),
    });
}

interface Answered {
  status: number;
  statusText: string;
  headers: Header[];
  text: string;
}

/** By the clone whose address it is, else over the network. */
async function answered(
  { clones, context, signal }: Environment,
  {
    method,
    url,
    headers,
    data,
  }: { method: string; url: string; headers: Record<string, string>; data: string | undefined },
  deadline: Deadline,
): Promise<Answered> {
  const clone = clones.at(url, method);
  if (!clone) {
    const response = await context.request.fetch(url, {
      method,
      headers,
      timeout: deadline.remaining(),
      maxRedirects: 0,
      ...(data !== undefined && { data }),
    });
    return {
      status: response.status(),
      statusText: response.statusText(),
      headers: response.headersArray(),
      text: await response.text(),
    };
  }
  const response = await clones.answer(clone, {
    method,
    url: new URL(url),
    headers,
    body: Buffer.from(data ?? ""),
    signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(deadline.remaining()))]),
  });
  return {
    status: response.status,
    statusText: "",
    headers: Object.entries(response.headers).map(([name, value]) => ({ name, value })),
    text: Buffer.from(response.body as string).toString(),
  };
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
