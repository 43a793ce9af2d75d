import { askPatiently } from "./patience.ts";

/** A refusal of the server, or 0 when it could not be reached. `message` is made to be shown. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** What went wrong, for people: the server's own words where it gave any. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a request was given up by this page rather than refused. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Turns an error answer's text into an ApiError; bodies that are not ours become the status in words. */
export function toApiError(status: number, body: string): ApiError {
  try {
    const parsed: unknown = JSON.parse(body);
    if (parsed && typeof parsed === "object" && "message" in parsed && "error" in parsed) {
      return new ApiError(status, String(parsed.error), String(parsed.message));
    }
  } catch {
    // Not one of our error bodies: a proxy's page, say.
  }
  return new ApiError(status, "internal", `The server answered ${status}.`);
}

const JSON_ONLY = { accept: "application/json" };
/** Answers that were asked for before the script that reads them was here. Each is taken once. */
const early = new Map<string, Promise<Response>>();

/** Asks before the script that reads the answer is here. */
export function askEarly(path: string): void {
  const answer = fetch(path, { headers: JSON_ONLY });
  // Whoever takes it is told; nobody may.
  answer.catch(() => {});
  early.set(path, answer);
}

function takeEarly(path: string): Promise<Response> | undefined {
  const answer = early.get(path);
  early.delete(path);
  return answer;
}

/** Sends a request of this page; one that only reads waits while the server takes no more. @throws ApiError for any answer that is no success, and when there is none */
export async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    const ask = () => takeEarly(path) ?? fetch(path, init);
    response = init.method === undefined ? await askPatiently(ask, init.signal) : await ask();
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached. Is it still running?");
  }
  if (response.ok) return response;
  throw toApiError(response.status, await response.text());
}

export type Query = object;

/** The path with what is asked for; values that are empty are left out. */
export function withQuery(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") params.set(key, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** The JSON of an answer. @throws ApiError */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send(path, { signal: signal ?? null, headers: JSON_ONLY });
  return (await response.json()) as T;
}

/** Posts a JSON body, or none, and reads the JSON of the answer. @throws ApiError */
export async function postJson<T>(path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method: "POST" };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const response = await send(path, init);
  return (await response.json()) as T;
}
