import { addMessages, changeChat, messagesOf } from "../../../store/records/chats.ts";
import { storageFault } from "../../../store/storage-faults.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, errorBody, invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { UnreadableSecretError } from "../../identity/secrets/values.ts";
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
import { createLooks } from "./look.ts";
import { cleanBy, createMask } from "./mask.ts";
import { MOST_MESSAGES } from "./model.ts";
import { answerByModel, firstQuestion, reserveFirst } from "./model-answer.ts";
import { createPipe } from "./pipe.ts";
import { isUntitled, requireChat } from "./service.ts";
import type { Sight } from "./tools/tool.ts";
import { createTranscript, type Ending } from "./transcript.ts";

/** Of one answer, with all its looks. */
const LONGEST_MS = 8 * 60_000;

/** A message of the stream: its event's name, and its data as JSON. */
export interface Told {
  event: "token" | "tool_call" | "done" | "error";
  data: string;
}

/**
 * Asks a question in a chat. It is written down with the beginning of its answer before this resolves; the answer is then
 * made as it is read, and what was said of it is kept, however it ends: a reader who leaves ends it.
 * @returns the answer's stream
 * @throws AppError `not_found`, `wrong_org`, `invalid_request`; `conflict` while another answer is written, and when the chat is
 * full; `budget_exhausted`; `unavailable` where a secret of the org cannot be read
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

  const mask = await createMask(deps, chat.org_id).catch((error: unknown) => {
    // Nothing goes to a model while what to take out of it is not known.
    if (error instanceof UnreadableSecretError) throw new AppError("unavailable", error.message);
    throw error;
  });
  const model = configuredModel(deps);
  const first = model === null ? null : await firstQuestion(deps, trace, mask, { past, question });
  const reservation = first && (await reserveFirst(deps, chat.org_id, first));
  const id = deps.ids.uuid();
  deps.traceState.answering.add(id);
  try {
    const now = deps.clock.now();
    await commit(deps, async (within) => {
      const common = { microcents: 0, step_ids: "[]", created_at: now };
      const asked = {
        ...{ id: deps.ids.uuid(), role: "user" as const, content: question, state: "done" as const },
        ...{ model: null, server_id: null },
      };
      const answered = {
        ...{ id, role: "assistant" as const, content: "", state: "answering" as const },
        ...{ model, server_id: deps.serverId },
      };
      const isIn = await addMessages(within, chat.id, [
        { ...asked, ...common },
        { ...answered, ...common },
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
    });
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
  const tell = (event: Told["event"], data: object) => pipe.put({ event, data: JSON.stringify(data) });
  void answer(deps, work, reader, tell)
    // What could not be kept is not there: it counts as cut off with what was kept before.
    .catch((error: unknown) => tell("error", explain(deps, error)))
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
  const late = new AbortController();
  const done = new AbortController();
  void deps.clock.sleep(LONGEST_MS, AbortSignal.any([done.signal, reader])).then(() => late.abort());
  const sight: Sight = {
    ...{ deps, ...work.sight, signal: AbortSignal.any([reader, late.signal]) },
    ...{ clean: cleanBy(work.mask), reach: work.mask.reach },
  };
  const transcript = createTranscript(deps, work.id, (text) => tell("token", { text }));
  const looks = createLooks(sight, work.mask, {
    messageId: work.id,
    told: (call) => {
      tell("tool_call", call);
      transcript.save();
    },
  });
  const say = (text: string) => transcript.say(work.mask(text));
  const answering = { sight, looks, question: work.question, past: work.past, say };

  let ending: Ending = "done";
  let problem: { error: string; message: string } | null = null;
  try {
    if (work.first && work.reservation)
      await answerByModel(answering, work.first, work.reservation, transcript.pay);
    else await answerByRules(answering);
  } catch (error) {
    ending = reader.aborted ? "cut" : "failed";
    if (!reader.aborted) problem = explain(deps, late.signal.aborted ? new TooLongError() : error);
  } finally {
    done.abort();
  }
  const summary = await summaryOf(deps, sight).catch(() => null);
  const isKept = await transcript.end(ending, (text) => stepsNamed(text, summary));
  if (!isKept) return tell("error", errorBody("not_found", "The chat was removed while it was answered."));
  if (problem) return tell("error", problem);
  const { inputTokens, outputTokens, microcents } = transcript.cost;
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens, cents: microcents / MICROCENTS };
  tell("done", { message_id: work.id, usage: { ...usage, model: configuredModel(deps) } });
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
