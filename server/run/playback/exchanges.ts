import type { EventFields, Header, TraceEvent } from "../../trace/format/event.ts";

/** A request as it was recorded, with what answered it. Texts are redacted, as everything in a trace is. */
export interface Exchange {
  method: string;
  /** Without its fragment. */
  url: string;
  /** Text, a `sha256:` reference, or null. */
  body: string | null;
  /** Null while the answer had not come when the recording ended. */
  response: RecordedResponse | null;
}

export interface RecordedResponse {
  /** 0 with an `error`: the request failed. */
  status: number;
  headers: Header[];
  /** Text, a `sha256:` reference, or null when there was none or it was not kept. */
  body: string | null;
  /** Bytes of the body, also where it was not kept. */
  bodySize: number;
  error: string | null;
}

/** The messages of a WebSocket, in order. */
export interface RecordedSocket {
  url: string;
  messages: { direction: "sent" | "received"; data: string | Uint8Array }[];
}

/** What a trace tells of its network. */
export interface RecordedNetwork {
  exchanges: Exchange[];
  sockets: RecordedSocket[];
}

/** Puts a network together from the events of a trace, in the order of its requests. */
export function createNetworkReader() {
  const exchanges = new Map<string, Exchange>();
  const sockets = new Map<string, RecordedSocket>();
  /** Last whole answer of each address, which an answer 304 stands for: a replay's browser has kept nothing. */
  const whole = new Map<string, RecordedResponse>();

  function request(event: TraceEvent): void {
    const { request_id, method, url, body, resource_type } =
      event as unknown as EventFields["network.request"];
    // What the target's server asked of a clone is no request of this browser.
    if (resource_type === "server") return;
    if (resource_type === "websocket") sockets.set(request_id, { url: withoutFragment(url), messages: [] });
    else
      exchanges.set(request_id, {
        method,
        url: withoutFragment(url),
        body: body ?? null,
        response: null,
      });
  }

  function response(event: TraceEvent): void {
    const { request_id, status, headers, body, body_size, error } =
      event as unknown as EventFields["network.response"];
    const exchange = exchanges.get(request_id);
    if (!exchange) return;
    const given: RecordedResponse = {
      status,
      headers: headers ?? [],
      body: body ?? null,
      bodySize: body_size ?? 0,
      error: error ?? null,
    };
    exchange.response = (status === 304 && whole.get(exchange.url)) || given;
    if (status === 200 && exchange.method === "GET") whole.set(exchange.url, given);
  }

  function message(event: TraceEvent): void {
    const { request_id, direction, text, base64 } =
      event as unknown as EventFields["network.websocket_frame"];
    const data = text ?? Buffer.from(base64 ?? "", "base64");
    sockets.get(request_id)?.messages.push({ direction, data });
  }

  return {
    add(event: TraceEvent): void {
      if (event.kind === "network.request") request(event);
      if (event.kind === "network.response") response(event);
      if (event.kind === "network.websocket_frame") message(event);
    },
    finish: (): RecordedNetwork => ({
      exchanges: [...exchanges.values()],
      sockets: [...sockets.values()],
    }),
  };
}

export const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");
