import { type Static, Type } from "@sinclair/typebox";
import type { ChatMessageRow, ChatRow, ChatToolCallRow } from "../../../store/records/chats.ts";
import { toIso } from "../../platform/clock.ts";
import { MICROCENTS } from "../language-model/budget.ts";
import { nullable, oneOf, time } from "../model.ts";

export const MOST_CHATS = 100;
/** A question and its answer are two. */
export const MOST_MESSAGES = 101;
export const LONGEST_QUESTION = 8_000;

export const NewChat = Type.Object(
  { title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
  { examples: [{ title: "Why does checkout fail?" }] },
);
export type NewChat = Static<typeof NewChat>;

export const NewMessage = Type.Object(
  { content: Type.String({ minLength: 1, maxLength: LONGEST_QUESTION }) },
  { examples: [{ content: "Why did it fail?" }] },
);
export type NewMessage = Static<typeof NewMessage>;

export const ToolCall = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    arguments: Type.Unknown({ description: "As they were given; a text where they were no JSON." }),
    result: Type.Unknown({ description: "What came; `{ error, message }` where the call failed." }),
    duration_ms: Type.Integer(),
    ok: Type.Boolean(),
  },
  { description: "One look at the trace, as it was carried out." },
);
export type ToolCall = Static<typeof ToolCall>;

export const Message = Type.Object({
  id: Type.String({ format: "uuid" }),
  role: oneOf(["user", "assistant"]),
  content: Type.String({
    description:
      "CommonMark. Links lead to places in the trace alone: `step:<number>`, `event:<seq>`, `moment:<ms from the beginning>`. Nothing else in an answer is a link, an image or HTML.",
  }),
  created_at: time("When it was asked, or its answer began."),
  tool_calls: Type.Array(ToolCall, { description: "What the answer looked at, in order." }),
  step_ids: Type.Array(Type.String(), { description: "The steps that it names." }),
  state: oneOf(["answering", "done", "cut", "failed"]),
  model: nullable(
    Type.String({ description: "Null for a question, and for what the built-in analyst answered by rules." }),
  ),
  cost_cents: Type.Number(),
});

const Budget = Type.Object({
  limit_cents: Type.Number(),
  spent_cents: Type.Number({ description: "In this month, with what is kept back for questions under way." }),
  resets_at: time("When the next month begins, UTC."),
});

export const ChatDetail = Type.Object({
  id: Type.String({ format: "uuid" }),
  trace_id: Type.String({ format: "uuid" }),
  title: Type.String(),
  created_at: time("When the chat was begun."),
  messages: Type.Array(Message),
  budget: Budget,
  suggestions: Type.Array(Type.String(), { description: "Questions that this trace can answer." }),
  answers_by: nullable(
    Type.String({ description: "The configured model; null: the built-in analyst answers by rules." }),
  ),
});
export type ChatDetail = Static<typeof ChatDetail>;

export const ChatList = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String({ format: "uuid" }),
      trace_id: Type.String({ format: "uuid" }),
      title: Type.String(),
      created_at: time("When the chat was begun."),
      updated_at: time("When somebody last asked."),
      message_count: Type.Integer(),
    }),
  ),
});
export type ChatList = Static<typeof ChatList>;

export const toToolCall = (row: ChatToolCallRow): ToolCall => ({
  id: row.id,
  name: row.name,
  arguments: JSON.parse(row.arguments),
  result: JSON.parse(row.result),
  duration_ms: row.duration_ms,
  ok: row.ok === 1,
});

export function toMessage(row: ChatMessageRow, calls: readonly ChatToolCallRow[]): Static<typeof Message> {
  return {
    ...{ id: row.id, role: row.role, content: row.content, created_at: toIso(row.created_at) },
    tool_calls: calls.filter(({ message_id }) => message_id === row.id).map(toToolCall),
    step_ids: JSON.parse(row.step_ids) as string[],
    ...{ state: row.state, model: row.model, cost_cents: row.microcents / MICROCENTS },
  };
}

export const toChatItem = ({
  messages,
  ...row
}: ChatRow & { messages: number }): ChatList["items"][number] => ({
  ...{ id: row.id, trace_id: row.trace_id, title: row.title, message_count: messages },
  ...{ created_at: toIso(row.created_at), updated_at: toIso(row.updated_at) },
});
