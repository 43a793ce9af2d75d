/** One message of a conversation with a model, in the words of OpenAI's chat completions. */
export type ModelMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; toolCalls?: ModelToolCall[] }
  | { role: "tool"; toolCallId: string; content: string };

/** A tool that the model may call. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: object;
}

/** A call that a model made. Its arguments are the text that it wrote, which need not be JSON. */
export interface ModelToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface ModelQuestion {
  messages: ModelMessage[];
  tools?: ModelTool[];
  /** Most tokens of an answer. */
  maxOutputTokens: number;
}

/** How an answer ended: by itself, at the most tokens, or held back by the provider's filter. */
export type ModelFinish = "stop" | "length" | "content_filter";

/** What a question and its answer were counted as. */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  /** Millionths of a cent. */
  microcents: number;
  /** The endpoint did not say it, or said what cannot be: counted from the bytes, rather too much than too little. */
  isEstimated: boolean;
}

export interface ModelAnswer {
  text: string;
  toolCalls: ModelToolCall[];
  finish: ModelFinish;
  usage: ModelUsage;
}

export type ModelFault = "unreachable" | "refused" | "unreadable" | "stalled" | "ended_early" | "too_long";

/** The model gave no whole answer. The message is for whoever asked: it holds nothing of what the endpoint sent. */
export class ModelError extends Error {
  override name = "ModelError";
  readonly kind: ModelFault;
  constructor(kind: ModelFault, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}
