import type { TestApp } from "./app.ts";
import { post } from "./traces.ts";

export interface ChatJson {
  id: string;
  trace_id: string;
  title: string;
  messages: {
    id: string;
    role: string;
    content: string;
    state: string;
    model: string | null;
    cost_cents: number;
    step_ids: string[];
    tool_calls: {
      name: string;
      ok: boolean;
      arguments: unknown;
      result: Record<string, unknown>;
      duration_ms: number;
    }[];
  }[];
  budget: { limit_cents: number; spent_cents: number; resets_at: string };
  suggestions: string[];
  answers_by: string | null;
}

export interface Heard {
  event: string;
  data: Record<string, unknown>;
}

/** The named messages of an event stream, as its reader gets them. */
export function readStream(text: string): Heard[] {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("event: "))
    .map((block) => {
      const [name, data] = block.split("\n");
      return { event: name!.slice("event: ".length), data: JSON.parse(data!.slice("data: ".length)) };
    });
}

export async function beginChat(on: TestApp, traceId: string, api = on.api): Promise<ChatJson> {
  const response = await post({ ...on, api } as TestApp, `/v1/traces/${traceId}/chats`, {});
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as ChatJson;
}

export const showChat = async (on: TestApp, id: string): Promise<ChatJson> =>
  (await (await on.api(`/v1/chats/${id}`)).json()) as ChatJson;

/** Asks, and hears the answer to its end. */
export async function ask(on: TestApp, chatId: string, content: string) {
  const response = await post(on, `/v1/chats/${chatId}/messages`, { content });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const heard = readStream(await response.text());
  const text = heard
    .filter(({ event }) => event === "token")
    .map(({ data }) => data.text)
    .join("");
  return {
    heard,
    text,
    last: heard.at(-1)!,
    looks: heard.filter(({ event }) => event === "tool_call").map(({ data }) => data.name),
  };
}
