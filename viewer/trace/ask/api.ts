import { createParser } from "eventsource-parser";
import type { ChatDetail, ChatList, ToolCall } from "../../../server/trace/chats/model.ts";
import { getJson, postJson, send, toApiError } from "../../api/request.ts";

export type Chat = ChatDetail;
export type Message = ChatDetail["messages"][number];
export type { ToolCall };

const path = (id: string) => `/v1/chats/${encodeURIComponent(id)}`;
const ofTrace = (traceId: string) => `/v1/traces/${encodeURIComponent(traceId)}/chats`;

interface Hearing {
  signal: AbortSignal;
  onText: (text: string) => void;
  onLook: (call: ToolCall) => void;
}

export const chatApi = {
  list: (traceId: string, signal?: AbortSignal) => getJson<ChatList>(ofTrace(traceId), signal),
  show: (id: string, signal?: AbortSignal) => getJson<Chat>(path(id), signal),
  begin: (traceId: string) => postJson<Chat>(ofTrace(traceId), {}),
  remove: async (id: string) => void (await send(path(id), { method: "DELETE" })),
  /** Asks, and hears the answer to its end. @throws ApiError, also for what goes wrong in the middle */
  async ask(id: string, content: string, { signal, onText, onLook }: Hearing): Promise<void> {
    const response = await send(`${path(id)}/messages`, {
      method: "POST",
      signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content }),
    });
    let failure: string | null = null;
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === "token") onText((JSON.parse(data) as { text: string }).text);
        else if (event === "tool_call") onLook(JSON.parse(data) as ToolCall);
        else if (event === "error") failure = data;
      },
    });
    const decoder = new TextDecoder();
    for (const reader = response.body!.getReader(); ; ) {
      const { value, done } = await reader.read();
      if (done) break;
      parser.feed(decoder.decode(value, { stream: true }));
    }
    if (failure !== null) throw toApiError(503, failure);
  },
};
