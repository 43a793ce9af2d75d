import { ModelError, type ModelFinish, type ModelToolCall } from "./types.ts";

/** What an endpoint says that a question took; as it says it. */
export interface ToldUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
}

/** An answer as far as it came. */
export interface ReadAnswer {
  text: string;
  toolCalls: ModelToolCall[];
  finish: ModelFinish | null;
  usage: ToldUsage | null;
  /** The endpoint said that there is no more: by a reason to finish, or by `[DONE]`. */
  isWhole: boolean;
}

const MOST_CALLS = 32;
/** Characters of the arguments of all calls. */
const MOST_ARGUMENTS = 100_000;

/**
 * Puts the chunks of an answer together, as servers send them: OpenAI, vLLM and LM Studio send tool calls in pieces, Ollama and
 * Gemini in one, without an index or all with index 0; usage comes in a chunk without choices, with the last one, or not at
 * all; `finish_reason` is `stop` beside tool calls, or missing; errors come as `{ error }` in the middle.
 * @param onText gets the text as it comes, without what a model thought aloud between `<think>` tags
 * @param onThought gets what it thought, in tags or in a field of its own: nobody reads it, and it costs like the rest
 */
export function createAnswerReader(onText: (text: string) => void, onThought: (text: string) => void) {
  const calls: { index: number | null; id: string; name: string; arguments: string }[] = [];
  const thoughts = createThoughtFilter(onThought);
  let text = "";
  let argued = 0;
  let finish: ModelFinish | null = null;
  let usage: ToldUsage | null = null;
  let isWhole = false;

  function say(more: string): void {
    if (more === "") return;
    text += more;
    onText(more);
  }

  function takeCall(piece: ToolCallPiece, isEntire: boolean): void {
    const name = stringOf(piece.function?.name);
    const id = stringOf(piece.id);
    const index = typeof piece.index === "number" ? piece.index : null;
    const last = calls.at(-1);
    const open = index === null ? last : calls.findLast((call) => call.index === index);
    // A name begins a call, unless it goes on with one of the same id and index.
    const isNew = isEntire || !open || (name !== "" && (id === "" ? open.name !== "" : id !== open.id));
    const call = isNew ? { index, id, name: "", arguments: "" } : open;
    if (isNew) {
      if (calls.length >= MOST_CALLS)
        throw new ModelError("too_long", `The model calls more than ${MOST_CALLS} tools at once.`);
      calls.push(call);
    }
    if (call.name === "") call.name = name;
    if (call.id === "") call.id = id;
    const given = piece.function?.arguments;
    const more = typeof given === "object" && given !== null ? JSON.stringify(given) : stringOf(given);
    argued += more.length;
    if (argued > MOST_ARGUMENTS)
      throw new ModelError("too_long", "The model's answer was broken off: its tool calls are endless.");
    call.arguments += more;
  }

  return {
    /** Takes one chunk, or a whole completion where the endpoint does not stream. @throws ModelError */
    take(chunk: unknown): void {
      if (!isRecord(chunk)) throw new ModelError("unreadable", "The model's answer cannot be understood.");
      if (isRecord(chunk.error) || typeof chunk.error === "string")
        throw new ModelError("refused", "The model's server broke the answer off with an error.", {
          cause: chunk.error,
        });
      if (isRecord(chunk.usage)) usage = chunk.usage;
      const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
      if (!isRecord(choice)) return;
      const isEntire = isRecord(choice.message);
      const part = isEntire ? choice.message : choice.delta;
      if (isRecord(part)) {
        const thought = stringOf(part.reasoning_content) || stringOf(part.reasoning);
        if (thought !== "") onThought(thought);
        say(thoughts.take(textOf(part.content)));
        if (Array.isArray(part.tool_calls))
          for (const piece of part.tool_calls)
            if (isRecord(piece)) takeCall(piece as ToolCallPiece, isEntire);
      }
      const reason = choice.finish_reason;
      if (typeof reason !== "string" || reason === "") return;
      isWhole = true;
      finish = reason === "length" || reason === "content_filter" ? reason : "stop";
    },
    /** The endpoint says that all was sent. */
    end(): void {
      isWhole = true;
    },
    answer(): ReadAnswer {
      say(thoughts.rest());
      return { text, toolCalls: calls.filter(({ name }) => name !== "").map(named), finish, usage, isWhole };
    },
  };
}

interface ToolCallPiece {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A call without an id gets one: the answer to it has to name it. */
const named = ({ id, name, arguments: text }: ModelToolCall, at: number): ModelToolCall => ({
  id: id === "" ? `call_${at}` : id,
  name,
  arguments: text,
});

/** Content is a text, or a list of parts of which some are text. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return stringOf(content);
  return content.map((part) => (isRecord(part) ? stringOf(part.text) : "")).join("");
}

const OPEN = "<think>";
const CLOSE = "</think>";

/** Leaves out what some models think aloud before they answer. What may be the beginning of a tag waits for the next piece. */
function createThoughtFilter(onThought: (text: string) => void) {
  let state: "before" | "within" | "after" = "before";
  let waiting = "";
  return {
    take(piece: string): string {
      if (state === "after") return piece;
      waiting += piece;
      if (state === "before") {
        const begun = waiting.trimStart();
        if (begun.length < OPEN.length && OPEN.startsWith(begun)) return "";
        if (!begun.startsWith(OPEN)) return pass(waiting);
        state = "within";
      }
      const end = waiting.indexOf(CLOSE);
      if (end >= 0) {
        onThought(waiting.slice(0, end));
        return pass(waiting.slice(end + CLOSE.length).trimStart());
      }
      onThought(waiting.slice(0, -CLOSE.length));
      waiting = waiting.slice(-CLOSE.length);
      return "";
    },
    rest: (): string => (state === "before" ? pass(waiting) : ""),
  };
  function pass(text: string): string {
    state = "after";
    waiting = "";
    return text;
  }
}
