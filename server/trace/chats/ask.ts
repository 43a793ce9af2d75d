import { addMessages, changeAnswer, changeChat, messagesOf } from "../../../store/records/chats.ts";
import { storageFault } from "../../../store/storage-faults.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, errorBody, invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import type { Diffs } from "../diffs/service.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { cut } from "../format/error-text.ts";
import type { Summary } from "../format/summary.ts";
import { configuredModel } from "../language-model/ask.ts";
import { MICROCENTS, type Reservation, settle } from "../language-model/budget.ts";
import { ModelError } from "../language-model/types.ts";
import { answerByRules } from "./analyst/answer.ts";
import { createHarmless } from "./harmless.ts";
import { createLooks } from "./look.ts";
import { createMask } from "./mask.ts";
import { MOST_MESSAGES } from "./model.ts";
import { answerByModel, firstQuestion, reserveFirst } from "./model-answer.ts";
import { createPipe } from "./pipe.ts";
import { isUntitled, requireChat } from "./service.ts";
import type { Sight } from "./tools/tool.ts";

/** Of one answer, with all its looks. */
const LONGEST_MS = 8 * 60_000;
const LONGEST_ANSWER = 60_000;
/** What was said is kept at least so often. */
const SAVE_MS = 1_000;

/** A message of the stream: its event's name, and its data as JSON. */
export interface Told {
  event: "token" | "tool_call" | "done" | "error";
  data: string;
}

/** What an answer took, as `done` tells it. */
interface Took {
  inputTokens: number;
  outputTokens: number;
  microcents: number;
}

/**
 * Asks a question in a chat. It is written down with the beginning of its answer before this resolves; the answer is then
 * made as it is read, and what was said of it is kept, however it ends: a reader who leaves ends it.
 * @returns the answer's stream
 * @throws AppError `not_found`, `wrong_org`, `invalid_request`; `conflict` while another answer is written, and when the chat is
 * full; `budget_exhausted`
 */
export async function askChat(
  deps: Deps,
  actor: Actor,
  { chatId, content, diffs }: { chatId: string; content: string; diffs: Diffs },
): Promise<(signal: AbortSignal) => AsyncIterable<Told>> {
  const { chat, trace } = await requireChat(deps, actor, chatId);
  const question = content.trim();
  if (question === "" || question.includes("\0"))
    throw invalid('The field "content" must hold a question, and no NUL characters.');
  const past = await messagesOf(deps.store.records, chat.id);
  if (past.length + 2 > MOST_MESSAGES)
    throw conflict(`This chat has ${MOST_MESSAGES} messages, which is the most: begin another one.`);
  if (past.some(({ state }) => state === "answering")) throw busy();

  const mask = await createMask(deps, chat.org_id);
  const model = configuredModel(deps);
  const first = model === null ? null : await firstQuestion(deps, trace, mask, { past, question });
  const reservation = first && (await reserveFirst(deps, chat.org_id, first));
  const id = deps.ids.uuid();
  deps.traceState.answering.add(id);
  try {
    const now = deps.clock.now();
    const added = await commit(deps, async (within) => {
      const common = { microcents: 0, step_ids: "[]", created_at: now };
      const isIn = await addMessages(within, chat.id, [
        {
          ...common,
          id: deps.ids.uuid(),
          role: "user",
          content: question,
          state: "done",
          model: null,
          server_id: null,
        },
        {
          ...common,
          id,
          role: "assistant",
          content: "",
          state: "answering",
          model,
          server_id: deps.serverId,
        },
      ]);
      if (!isIn) throw busy();
      const isFirst = past.length === 1 && isUntitled(chat);
      await changeChat(within, chat.id, {
        updated_at: now,
        ...(isFirst ? { title: titleFrom(question) } : {}),
      });
      await auditAct(within, actor, {
        ...{ at: now, action: "chat.ask", target: chat.id, detail: { trace_id: trace.id, model } },
      });
      return true;
    });
    if (!added) throw busy();
  } catch (error) {
    deps.traceState.answering.delete(id);
    if (reservation) await settle(deps, reservation, 0);
    throw error;
  }
  return (signal) =>
    stream(deps, { id, question, past, mask, first, reservation, sight: { trace, actor, diffs } }, signal);
}

const busy = () =>
  conflict("An answer is being written in this chat: wait until it ends, or begin another chat.");

/** A chat that nobody named is called by its first question. */
const titleFrom = (question: string): string => cut(question.replace(/[\s\p{Cc}]+/gu, " "), 80);

interface Work {
  id: string;
  question: string;
  past: Awaited<ReturnType<typeof messagesOf>>;
  mask: Awaited<ReturnType<typeof createMask>>;
  first: Awaited<ReturnType<typeof firstQuestion>> | null;
  reservation: Reservation | null;
  sight: Pick<Sight, "trace" | "actor" | "diffs">;
}

function stream(deps: Deps, work: Work, reader: AbortSignal): AsyncIterable<Told> {
  const pipe = createPipe<Told>();
  void answer(deps, work, reader, (event, data) => pipe.put({ event, data: JSON.stringify(data) }))
    .catch((error: unknown) =>
      deps.log.error("an answer could not be kept", { chat_message: work.id, error }),
    )
    .finally(() => {
      deps.traceState.answering.delete(work.id);
      pipe.end();
    });
  return pipe;
}

/** Makes the answer, and keeps it. @throws what keeping it throws */
async function answer(
  deps: Deps,
  work: Work,
  reader: AbortSignal,
  tell: (event: Told["event"], data: object) => void,
): Promise<void> {
  const { records } = deps.store;
  const done = new AbortController();
  const late = new AbortController();
  const signal = AbortSignal.any([reader, late.signal]);
  void deps.clock.sleep(LONGEST_MS, AbortSignal.any([done.signal, reader])).then(() => {
    if (!done.signal.aborted && !reader.aborted) late.abort();
  });
  const took: Took = { inputTokens: 0, outputTokens: 0, microcents: 0 };
  let said = "";
  let savedAt = deps.clock.monotonic();
  let saving = Promise.resolve(true);
  const save = (): void => {
    savedAt = deps.clock.monotonic();
    const content = said;
    // What cannot be kept now fails at the end, where all of it is kept.
    saving = saving
      .then(() => changeAnswer(records, work.id, { content, microcents: took.microcents }))
      .catch(() => false);
  };
  const clean = createHarmless((text) => {
    const piece = text.slice(0, Math.max(0, LONGEST_ANSWER - said.length));
    if (piece === "") return;
    said += piece;
    tell("token", { text: piece });
    if (deps.clock.monotonic() - savedAt >= SAVE_MS) save();
  });
  const sight: Sight = { deps, ...work.sight, signal };
  const looks = createLooks(sight, work.mask, {
    messageId: work.id,
    told: (call) => {
      tell("tool_call", call);
      save();
    },
  });
  const at = {
    sight,
    looks,
    question: work.question,
    past: work.past,
    say: (text: string) => clean.take(work.mask(text)),
  };

  let state: "done" | "cut" | "failed" = "done";
  let problem: { error: string; message: string } | null = null;
  try {
    if (work.first && work.reservation)
      await answerByModel(at, work.first, work.reservation, (cost) => {
        took.inputTokens += cost.inputTokens;
        took.outputTokens += cost.outputTokens;
        took.microcents += cost.microcents;
      });
    else await answerByRules(at);
  } catch (error) {
    state = reader.aborted ? "cut" : "failed";
    problem = reader.aborted ? null : explain(deps, late.signal.aborted ? new TooLongError() : error);
  } finally {
    done.abort();
  }
  clean.end();
  await saving;
  const summary = await summaryOf(deps, sight).catch(() => null);
  const isKept = await changeAnswer(records, work.id, {
    ...{ content: said, state, microcents: took.microcents, server_id: null },
    step_ids: JSON.stringify(stepsNamed(said, summary)),
  });
  if (!isKept) return tell("error", errorBody("not_found", "The chat was removed while it was answered."));
  if (problem) return tell("error", problem);
  tell("done", {
    message_id: work.id,
    usage: {
      ...{
        input_tokens: took.inputTokens,
        output_tokens: took.outputTokens,
        cents: took.microcents / MICROCENTS,
      },
      model: configuredModel(deps),
    },
  });
}

class TooLongError extends Error {}

const summaryOf = (deps: Deps, { trace }: Sight): Promise<Summary | null> =>
  whereItLies(deps, trace, (now) => storedSummary(deps, now));

/** The ids of the steps that an answer links to. */
function stepsNamed(text: string, summary: Summary | null): string[] {
  const numbers = new Set([...text.matchAll(/\]\(step:(\d{1,15})\)/g)].map(([, number]) => Number(number)));
  return (summary?.steps ?? []).filter(({ index }) => numbers.has(index)).map(({ step_id }) => step_id);
}

function explain(deps: Deps, error: unknown): { error: string; message: string } {
  if (error instanceof TooLongError)
    return errorBody("unavailable", "The answer was given up: it took longer than eight minutes.");
  if (error instanceof ModelError) return errorBody("unavailable", error.message);
  if (error instanceof AppError) return errorBody(error.kind, error.message);
  const fault = storageFault(error);
  deps.log.error("an answer failed", { error });
  return fault
    ? errorBody("unavailable", `${fault}.`)
    : errorBody("internal", "The server failed; its log tells why.");
}
