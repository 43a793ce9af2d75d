import type { Clock } from "../../platform/clock.ts";
import type { CloneRequest, CloneResponse, Json, OnExchange } from "./types.ts";

/** A larger request is refused before it is read. */
export const LARGEST_REQUEST = 2 * 1024 * 1024;

const CORS = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" };

/** An answer of JSON. */
export const json = (
  value: Json | object,
  status = 200,
  headers: Record<string, string> = {},
): CloneResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

export interface HttpDoor {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  url: string;
  close(): Promise<void>;
}

/**
 * Opens a clone's own address on a free port of this machine, for the server of the target to call.
 * @param onExchange is told every request and its answer
 */
export function openDoor(
  handle: (request: CloneRequest) => Promise<CloneResponse>,
  { clock, onExchange }: { clock: Clock; onExchange: OnExchange },
): HttpDoor {
  const closed = new AbortController();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    reusePort: false,
    // Requests may wait for a mail.
    idleTimeout: 60,
    maxRequestBodySize: LARGEST_REQUEST,
    fetch: async (incoming) => {
      const started = clock.monotonic();
      const url = URL.parse(incoming.url);
      if (!url) return new Response("The address cannot be read.", { status: 400 });
      const request: CloneRequest = {
        method: incoming.method,
        url,
        headers: Object.fromEntries(incoming.headers),
        body: await incoming.bytes(),
        signal: AbortSignal.any([incoming.signal, closed.signal]),
      };
      const response = await answer(handle, request);
      onExchange({ request, response, durationMs: clock.monotonic() - started });
      return new Response(response.body as Uint8Array<ArrayBuffer> | string, {
        status: response.status,
        headers: response.headers,
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    async close() {
      closed.abort();
      await server.stop(true);
    },
  };
}

/** What a clone answers, with what a browser needs to read it from any page. */
export async function answer(
  handle: (request: CloneRequest) => Promise<CloneResponse>,
  request: CloneRequest,
): Promise<CloneResponse> {
  if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined)
    return {
      status: 204,
      headers: {
        ...CORS,
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
      },
      body: "",
    };
  const { origin } = request.headers;
  const response = await handle(request);
  return {
    ...response,
    headers: {
      ...CORS,
      ...(origin !== undefined && {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        vary: "Origin",
      }),
      ...response.headers,
    },
  };
}

/**
 * The fields of a body, JSON or form (`card[number]=…` is a field within a field); null when it is neither.
 */
export function readFields({ headers, body }: CloneRequest): Record<string, Json> | null {
  const text = new TextDecoder().decode(body);
  if (text.trim() === "") return {};
  if (/json/i.test(headers["content-type"] ?? "") || /^\s*[{[]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      return isRecord(value) ? value : null;
    } catch {
      return null;
    }
  }
  const fields: Record<string, Json> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) put(fields, name, value);
  return fields;
}

export const isRecord = (value: unknown): value is Record<string, Json> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

function put(fields: Record<string, Json>, name: string, value: string): void {
  const path = name.split(/\[|\]\[|\]/).filter((part) => part !== "");
  const last = path.pop();
  if (last === undefined || path.length > 5) return;
  let at = fields;
  for (const part of path) {
    const known = at[part];
    const next: Record<string, Json> = isRecord(known) ? known : Object.create(null);
    at[part] = next;
    at = next;
  }
  at[last] = value;
}
