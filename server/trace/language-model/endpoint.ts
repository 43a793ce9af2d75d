import { createParser } from "eventsource-parser";
import type { Settings } from "../../../store/settings.ts";
import { AnswerTooLargeError, boundedFetch } from "../../platform/bounded-fetch.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { createAnswerReader, type ReadAnswer } from "./answer-reader.ts";
import { ModelError, type ModelMessage, type ModelQuestion } from "./types.ts";

/** Without a sign of life for so long the answer is given up. A model on a slow processor reads a long question for a while. */
const STALLED_MS = 120_000;
/** Of one answer, however lively. */
const LONGEST_MS = 300_000;
/** Bytes of one answer on the wire: a token takes some hundred of them. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Of a refusal's text, for the log. */
const REFUSAL_TEXT = 500;

/** What this endpoint turned out not to take; asked again for each start of the server. */
export interface ModelHabits {
  limit: "max_tokens" | "max_completion_tokens";
  takesStreamOptions: boolean;
  takesTools: boolean;
}

export const createModelHabits = (): ModelHabits => ({
  limit: "max_tokens",
  takesStreamOptions: true,
  takesTools: true,
});

interface EndpointDeps {
  clock: Clock;
  log: Log;
  config: { settings: Pick<Settings, "debugger"> };
  traceState: { modelHabits: ModelHabits };
}

/**
 * Asks the configured endpoint, as OpenAI's chat completions, streaming. Its address may be private: the operator named it.
 * The key goes to that address alone, since no redirect is followed.
 * @param onText gets the answer's text as it comes, `onThought` what the model thinks meanwhile
 * @throws ModelError; what `signal` aborts with
 */
export async function askEndpoint(
  deps: EndpointDeps,
  question: ModelQuestion,
  {
    signal,
    onText,
    onThought,
  }: { signal: AbortSignal; onText: (text: string) => void; onThought: (text: string) => void },
): Promise<ReadAnswer> {
  const patience = createPatience(deps.clock, signal);
  try {
    const response = await send(deps, question, patience.signal);
    return await read(response, createAnswerReader(onText, onThought), patience.renew);
  } catch (error) {
    signal.throwIfAborted();
    if (patience.signal.aborted)
      throw new ModelError("stalled", "The model did not answer in time.", { cause: error });
    if (error instanceof ModelError) throw error;
    if (error instanceof AnswerTooLargeError)
      throw new ModelError("too_long", "The model's answer was broken off: it is too long.", {
        cause: error,
      });
    throw new ModelError("unreachable", "The connection to the model broke.", { cause: error });
  } finally {
    patience.end();
  }
}

/** The body that is sent: its length is what a question is counted by where the endpoint does not say. */
export function bodyOf(deps: Pick<EndpointDeps, "config" | "traceState">, question: ModelQuestion): string {
  const { model } = deps.config.settings.debugger;
  const { limit, takesStreamOptions, takesTools } = deps.traceState.modelHabits;
  const tools = takesTools ? (question.tools ?? []) : [];
  return JSON.stringify({
    ...(model === null ? {} : { model }),
    messages: question.messages.map(toWire),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    [limit]: question.maxOutputTokens,
    stream: true,
    ...(takesStreamOptions ? { stream_options: { include_usage: true } } : {}),
  });
}

function toWire(message: ModelMessage): object {
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== "assistant" || !message.toolCalls?.length)
    return { role: message.role, content: message.content };
  return {
    role: "assistant",
    content: message.content,
    tool_calls: message.toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    })),
  };
}

/** Sends the question, without what the endpoint says that it does not take. */
async function send(deps: EndpointDeps, question: ModelQuestion, signal: AbortSignal): Promise<Response> {
  const { base_url, api_key } = deps.config.settings.debugger;
  const url = `${base_url!.replace(/(?<!\/)\/+$/, "")}/chat/completions`;
  for (;;) {
    const response = await boundedFetch(
      url,
      {
        method: "POST",
        redirect: "manual",
        signal,
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream, application/json",
          ...(api_key === null ? {} : { authorization: `Bearer ${api_key}` }),
        },
        body: bodyOf(deps, question),
      },
      MOST_BYTES,
    ).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new ModelError("unreachable", "The model cannot be reached: nobody answers at its address.", {
        cause: error,
      });
    });
    if (response.ok) return response;
    const { status } = response;
    const said = (await response.text()).slice(0, REFUSAL_TEXT);
    if ((status === 400 || status === 422 || status === 500) && learn(deps.traceState.modelHabits, said))
      continue;
    throw refusal(status, said);
  }
}

/** Notes what the endpoint refuses. @returns whether asking once more makes sense */
function learn(habits: ModelHabits, said: string): boolean {
  if (habits.limit === "max_tokens" && /max_completion_tokens/.test(said)) {
    habits.limit = "max_completion_tokens";
    return true;
  }
  if (habits.takesStreamOptions && /stream_options/.test(said)) {
    habits.takesStreamOptions = false;
    return true;
  }
  // Ollama, llama.cpp without --jinja, vLLM without --enable-auto-tool-choice; not that one call could not be read.
  if (habits.takesTools && /\btools?\b/i.test(said) && !/\bpars(?:e|ing)\b/i.test(said)) {
    habits.takesTools = false;
    return true;
  }
  return false;
}

function refusal(status: number, said: string): ModelError {
  const cause = `status ${status}: ${said}`;
  if (status >= 300 && status < 400)
    return new ModelError("refused", "The model's address redirects: settings must name the final one.", {
      cause,
    });
  const why: Record<number, string> = {
    401: "it does not take the key",
    403: "it does not take the key",
    404: "there is no such model or address",
    429: "it has too much to do, or its own quota is used up",
  };
  return new ModelError(
    "refused",
    `The model's server refused the question: ${why[status] ?? "its log, or this server's, says why"} (status ${status}).`,
    { cause },
  );
}

async function read(
  response: Response,
  reader: ReturnType<typeof createAnswerReader>,
  renew: () => void,
): Promise<ReadAnswer> {
  if (/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
    reader.take(readJson(await response.text()));
    reader.end();
    return reader.answer();
  }
  let isDone = false;
  const parser = createParser({
    maxBufferSize: MOST_BYTES,
    onEvent: ({ data, event }) => {
      if (isDone) return;
      if (data.trim() === "[DONE]") {
        isDone = true;
        reader.end();
      } else if (event === "error") reader.take({ error: data });
      else reader.take(readJson(data));
    },
    // llama.cpp once sent `error: {…}` in the place of `data:`.
    onError: ({ field, value }) => {
      if (field === "error") reader.take({ error: value ?? "" });
    },
  });
  const decoder = new TextDecoder();
  const bytes = response.body?.getReader();
  try {
    while (bytes && !isDone) {
      const { value, done } = await bytes.read();
      if (done) break;
      renew();
      parser.feed(decoder.decode(value, { stream: true }));
    }
    if (!isDone) parser.reset({ consume: true });
  } finally {
    await bytes?.cancel().catch(() => {});
  }
  return reader.answer();
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ModelError("unreadable", "The model's answer cannot be understood: it is no JSON.", { cause });
  }
}

/** Aborts with the caller, when nothing comes for too long, and when all takes too long. */
function createPatience(clock: Clock, signal: AbortSignal) {
  const over = new AbortController();
  const ended = new AbortController();
  let last = clock.monotonic();
  const began = last;
  const all = AbortSignal.any([signal, over.signal]);
  async function watch(): Promise<void> {
    while (!ended.signal.aborted) {
      const now = clock.monotonic();
      const left = Math.min(last + STALLED_MS, began + LONGEST_MS) - now;
      if (left <= 0) return over.abort();
      await clock.sleep(left, AbortSignal.any([ended.signal, signal]));
      if (signal.aborted) return;
    }
  }
  void watch();
  return {
    signal: all,
    renew() {
      last = clock.monotonic();
    },
    end: () => ended.abort(),
  };
}
