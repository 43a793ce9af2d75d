import type { ApiClient } from "../platform/api-client.ts";
import { errorIn } from "./call.ts";
import { CliError } from "./output.ts";
import { wasNeverTaken } from "./server-client.ts";

/** A JSON-RPC message, as far as it has to be understood to be handed on. */
export interface Message {
  jsonrpc: "2.0";
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
  error?: unknown;
}

/** Where requests go: asked again when the server that answered is gone. */
export interface Upstream {
  client(): Promise<ApiClient>;
  /** The server did not answer: the next one that is asked for may be another. */
  lost(): void;
}

const META_VERSION = "io.modelcontextprotocol/protocolVersion";
/** JSON-RPC: the server's own errors. */
const FAILED = -32_603;
/** The parameter that the header `Mcp-Name` repeats. */
const NAMED_BY: Record<string, "name" | "uri"> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/**
 * Hands the messages of a client on stdio to a server's `/mcp` and its answers back, so that what agents are offered is
 * said in one place. Speaks both revisions of the protocol, as the client does.
 */
export function createBridge(upstream: Upstream, write: (message: Message) => void) {
  const underWay = new Map<string | number, AbortController>();
  const taking = new Set<Promise<void>>();
  let agreedVersion: string | null = null;

  /** @throws an error that `wasNeverTaken` tells from one of a connection that broke */
  async function send(message: Message, signal: AbortSignal): Promise<Response> {
    const init: RequestInit = {
      method: "POST",
      headers: headersFor(message, agreedVersion),
      body: JSON.stringify(message),
      signal,
      // Where a kept connection breaks, fetch itself sends the request once more.
      keepalive: !mayAct(message),
    };
    for (let isAgain = false; ; isAgain = true) {
      const client = await upstream.client();
      try {
        return await client.request("/mcp", init);
      } catch (error) {
        if (signal.aborted || isAgain) throw error;
        upstream.lost();
        if (mayAct(message) && !wasNeverTaken(error)) throw error;
      }
    }
  }

  async function answer(message: Message, signal: AbortSignal): Promise<void> {
    const response = await send(message, signal);
    let isAnswered = !isRequest(message);
    for await (const said of repliesOf(response)) {
      // A request that is refused before it is read as a message is refused without its id.
      const reply = said.error !== undefined && said.id === null ? { ...said, id: message.id } : said;
      isAnswered ||= reply.id === message.id;
      if (message.method === "initialize" && typeof reply.result?.protocolVersion === "string")
        agreedVersion = reply.result.protocolVersion;
      write(reply);
    }
    if (!isAnswered) throw new Error("The server's answer ended before it was whole.");
  }

  async function take(message: Message): Promise<void> {
    const { method, params } = message;
    // Servers ask their clients nothing here, so that nothing is answered.
    if (method === undefined) return;
    if (method === "notifications/cancelled") underWay.get(params?.requestId as string | number)?.abort();
    const control = new AbortController();
    if (isRequest(message)) underWay.set(message.id, control);
    try {
      await answer(message, control.signal);
    } catch (error) {
      if (isRequest(message) && !control.signal.aborted)
        write({ jsonrpc: "2.0", id: message.id, error: { code: FAILED, message: describe(message, error) } });
    } finally {
      if (isRequest(message)) underWay.delete(message.id);
    }
  }

  return {
    /** Hands a message on and its answer back. Never throws. */
    take(message: Message): Promise<void> {
      const taken = take(message);
      taking.add(taken);
      return taken.finally(() => taking.delete(taken));
    },
    /** Resolves when nothing is under way. */
    async idle(): Promise<void> {
      while (taking.size > 0) await Promise.allSettled(taking);
    },
    /** Ends what is under way. */
    close(): void {
      for (const control of underWay.values()) control.abort();
    },
  };
}

const isRequest = (message: Message): message is Message & { id: string | number } =>
  message.id !== undefined && message.id !== null;

/** Whether something may have been done when no answer comes. */
const mayAct = ({ method }: Message): boolean => method === "tools/call";

function headersFor({ method = "", params }: Message, agreedVersion: string | null): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const claimed = params?._meta?.[META_VERSION];
  if (typeof claimed !== "string")
    return agreedVersion === null ? headers : { ...headers, "mcp-protocol-version": agreedVersion };
  const name = NAMED_BY[method] && params?.[NAMED_BY[method]];
  return {
    ...headers,
    "mcp-protocol-version": claimed,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}

/** Revision 2026-07-28, streamable HTTP: what no header may carry goes as base64. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?")) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** The messages of an answer. @throws CliError in the server's words when it is none of MCP */
async function* repliesOf(response: Response): AsyncGenerator<Message> {
  const type = response.headers.get("content-type")?.split(";", 1)[0];
  if (type === "text/event-stream" && response.body) return yield* eventsOf(response.body);
  const text = await response.text();
  if (response.ok && text === "") return;
  const reply = parse(text);
  if (reply?.jsonrpc !== "2.0") throw errorIn(response, text);
  yield reply;
}

/** Server-sent events whose data are messages. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []));
      const reply = parse(data.join("\n"));
      if (reply) yield reply;
    }
  }
}

function parse(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Message) : null;
  } catch {
    return null;
  }
}

/** A call that may have been carried out is the agent's to repeat: a run that is begun twice acts twice on its target. */
function describe(message: Message, error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  if (
    !mayAct(message) ||
    (error instanceof CliError && (error.code !== "unavailable" || wasNeverTaken(error)))
  )
    return said;
  return `${said} Whether ${String(message.params?.name)} was carried out is not known. If it only reads, call it again; otherwise look first at what there is by now.`;
}
