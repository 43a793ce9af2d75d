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
  const { context, values, recorder, redactor, clock } = environment;
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
  const response = await context.request.fetch(url, {
    method,
    headers,
    timeout: deadline.remaining(),
    maxRedirects: 0,
    ...(data !== undefined && { data }),
  });
  const text = await response.text();
  recorder.emit("network.response", {
    request_id: id,
    method,
    url: redactor.url(url),
    status: response.status(),
    status_text: response.statusText(),
    headers: redactor.headers(response.headersArray()),
    body: recorder.body(text),
    body_size: Buffer.byteLength(text),
    media_type: (response.headers()["content-type"] ?? "").split(";")[0]?.trim() ?? "",
    duration_ms: Math.round(clock.monotonic() - started),
    resource_type: "fetch",
  });
  environment.lastResponse = isJson(text) ? { value: JSON.parse(text) } : null;
  if (status !== null && response.status() !== status)
    throw new StepFailure(`${method} ${url} was answered with ${response.status()}, not ${status}.`, {
      expected: String(status),
      received: String(response.status()),
    });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
