/** A question as the stand-in got it. */
export interface Asked {
  headers: Record<string, string>;
  body: {
    model?: string;
    messages: { role: string; content: string; tool_calls?: unknown[]; tool_call_id?: string }[];
    tools?: { function: { name: string; parameters: object } }[];
    [name: string]: unknown;
  };
  /** Aborts when whoever asked has gone. */
  signal: AbortSignal;
}

/** What the stand-in sends: chunks of a stream one after the other (text and bytes go out as they are), or any other answer. */
export type Reply =
  | { chunks: (object | string | Uint8Array)[]; ending?: "done" | "close" | "stall" | "break" }
  | { status: number; body: string; headers?: Record<string, string> };

export const said = (content: string, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
export const usage = (prompt_tokens: unknown, completion_tokens: unknown) => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens },
});
/** A call of a tool in one piece. */
export const called = (name: string, args: object | string, id = "call_1") => ({
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: [
          {
            index: 0,
            id,
            type: "function",
            function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
          },
        ],
      },
      finish_reason: "tool_calls",
    },
  ],
});
export const answer = (text: string, tokens: [unknown, unknown] = [100, 20]): Reply => ({
  chunks: [said(text), said("", "stop"), usage(...tokens)],
});

/** A server that speaks OpenAI's chat completions on a socket, and says what a test wants it to say. */
export function createModelServer() {
  const asked: Asked[] = [];
  let reply: (asked: Asked, count: number) => Reply | Promise<Reply> = () => answer("Hello.");
  const encoder = new TextEncoder();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST" || pathname !== "/v1/chat/completions")
        return new Response("there is nothing here", { status: 404 });
      const headers = Object.fromEntries(request.headers);
      const one: Asked = { headers, body: (await request.json()) as Asked["body"], signal: request.signal };
      asked.push(one);
      const given = await reply(one, asked.length);
      if ("status" in given)
        return new Response(given.body, { status: given.status, headers: given.headers ?? {} });
      return new Response(streamOf(given, request.signal), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });

  function streamOf({ chunks, ending = "done" }: Extract<Reply, { chunks: unknown }>, gone: AbortSignal) {
    return new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const chunk of chunks) {
          if (gone.aborted) return;
          if (chunk instanceof Uint8Array) controller.enqueue(chunk);
          else {
            const text = typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`;
            controller.enqueue(encoder.encode(text));
          }
          await Bun.sleep(1);
        }
        if (ending === "stall") return;
        if (ending === "break") return controller.error(new Error("broken off"));
        if (ending === "done") controller.enqueue(encoder.encode("data: [DONE]\n\n"));
        controller.close();
      },
    });
  }

  return {
    asked,
    /** As `debugger.base_url` names it. */
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    replies(next: typeof reply): void {
      reply = next;
    },
    close: () => server.stop(true),
  };
}
