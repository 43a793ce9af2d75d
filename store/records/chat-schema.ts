/** Rows of chats about traces, and of what the model that answers there costs. Times are integer milliseconds UTC. */
export interface ChatTables {
  chats: {
    id: string;
    org_id: string;
    trace_id: string;
    title: string;
    created_at: number;
    updated_at: number;
  };
  chat_messages: {
    id: string;
    chat_id: string;
    /** From 0. */
    position: number;
    role: "user" | "assistant";
    content: string;
    /** `answering` while it is written; of an answer that is `cut` or `failed` stays what was said until then. */
    state: MessageState;
    /** The model that answered; null for the built-in analyst and for questions. */
    model: string | null;
    /** What it cost, in millionths of a cent. */
    microcents: number;
    /** JSON array of the steps that it names. */
    step_ids: string;
    /** The server that writes it; null once nobody does. */
    server_id: string | null;
    created_at: number;
  };
  chat_tool_calls: {
    id: string;
    message_id: string;
    /** From 0. */
    position: number;
    name: string;
    /** JSON. */
    arguments: string;
    /** JSON. */
    result: string;
    duration_ms: number;
    ok: number;
  };
  /** What an org's questions to the model cost in a calendar month, with what is reserved for those under way. */
  model_spending: {
    org_id: string;
    /** The month's first moment, UTC. */
    month: number;
    /** Millionths of a cent. */
    microcents: number;
  };
}

export type MessageState = "answering" | "done" | "cut" | "failed";
