import {
  addMessages,
  type ChatRow,
  changeAnswer,
  chatsOf,
  findChat,
  insertChat,
  messagesOf,
  removeChat,
  toolCallsOf,
} from "../../../store/records/chats.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import { requireTrace } from "../access.ts";
import { causeOf } from "../causes/service.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { configuredModel } from "../language-model/ask.ts";
import { showBudget } from "../language-model/budget.ts";
import { type ChatDetail, type ChatList, MOST_CHATS, type NewChat, toChatItem, toMessage } from "./model.ts";
import { openingMessage, suggestionsFor } from "./seed.ts";

/** No answer takes longer: one that another server began so long ago was cut off. */
const LONGEST_ANSWER_MS = 15 * 60_000;

/**
 * Begins a chat about a trace. Its first message says what is known and what may be asked.
 * @throws AppError `not_found`, `wrong_org`; `conflict` when the trace has as many as it may
 */
export async function createChat(
  deps: Deps,
  actor: Actor,
  traceId: string,
  { title }: NewChat,
): Promise<ChatDetail> {
  const trace = await requireTrace(deps, actor, traceId);
  const { found } = await causeOf(deps, trace);
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  const content = openingMessage(trace, { cause: found.cause, summary, model: configuredModel(deps) });
  const step = found.cause.failed_step;
  const now = deps.clock.now();
  const chat: ChatRow = {
    ...{ id: deps.ids.uuid(), org_id: trace.org_id, trace_id: trace.id },
    title: titleOf(title) ?? nameless(now),
    ...{ created_at: now, updated_at: now },
  };
  await commit(deps, async (within) => {
    if (!(await insertChat(within, chat, MOST_CHATS)))
      throw conflict(`This trace has ${MOST_CHATS} chats already: remove one first.`);
    await addMessages(within, chat.id, [
      {
        ...{ id: deps.ids.uuid(), role: "assistant", content, state: "done", model: null, microcents: 0 },
        step_ids: JSON.stringify(step && content.includes("](step:") ? [step.step_id] : []),
        ...{ server_id: null, created_at: now },
      },
    ]);
    await auditAct(within, actor, {
      ...{ at: now, action: "chat.create", target: chat.id, detail: { trace_id: trace.id } },
    });
  });
  return toDetail(deps, chat, trace);
}

/** @throws AppError `not_found`, `wrong_org` */
export async function showChat(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<ChatDetail> {
  const { chat, trace } = await requireChat(deps, actor, id);
  return toDetail(deps, chat, trace);
}

/** A trace's chats, newest first. @throws AppError `not_found`, `wrong_org` */
export async function listChats(deps: Deps, actor: Pick<Actor, "orgId">, traceId: string): Promise<ChatList> {
  const trace = await requireTrace(deps, actor, traceId);
  return { items: (await chatsOf(deps.store.records, trace.id)).map(toChatItem) };
}

/** Removes a chat with all that was said; an answer under way ends. @throws AppError `not_found`, `wrong_org` */
export async function forgetChat(deps: Deps, actor: Actor, id: string): Promise<void> {
  const { chat } = await requireChat(deps, actor, id);
  await commit(deps, async (within) => {
    await removeChat(within, chat.id);
    await auditAct(within, actor, {
      ...{
        at: deps.clock.now(),
        action: "chat.remove",
        target: chat.id,
        detail: { trace_id: chat.trace_id },
      },
    });
  });
}

/** @throws AppError `not_found`, `wrong_org` */
export async function requireChat(
  deps: Deps,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<{ chat: ChatRow; trace: TraceRow }> {
  const chat = await findChat(deps.store.records, id.toLowerCase());
  if (!chat) throw notFound("This chat");
  if (chat.org_id !== actor.orgId)
    throw new AppError("wrong_org", "This chat belongs to an org that the credential does not belong to.");
  await settleLost(deps, chat.id);
  return { chat, trace: await requireTrace(deps, actor, chat.trace_id) };
}

/** Answers that a server began which has died since: what was said stays, and is said to be cut. */
async function settleLost(deps: Deps, chatId: string): Promise<void> {
  const { records } = deps.store;
  const oldest = deps.clock.now() - LONGEST_ANSWER_MS;
  for (const { id, state, server_id, created_at } of await messagesOf(records, chatId)) {
    if (state !== "answering" || deps.traceState.answering.has(id)) continue;
    if (server_id === deps.serverId || created_at < oldest)
      await changeAnswer(records, id, { state: "cut", server_id: null });
  }
}

async function toDetail(deps: Deps, chat: ChatRow, trace: TraceRow): Promise<ChatDetail> {
  const { records } = deps.store;
  const calls = await toolCallsOf(records, chat.id);
  return {
    ...{ id: chat.id, trace_id: chat.trace_id, title: chat.title, created_at: toIso(chat.created_at) },
    messages: (await messagesOf(records, chat.id)).map((row) => toMessage(row, calls)),
    budget: await showBudget(deps, chat.org_id),
    suggestions: suggestionsFor(trace),
    answers_by: configuredModel(deps),
  };
}

const nameless = (at: number): string => `Chat of ${toIso(at).slice(0, 16).replace("T", " ")}`;

/** Whether nobody named it, and nothing was asked in it yet. */
export const isUntitled = ({ title, created_at }: ChatRow): boolean => title === nameless(created_at);

function titleOf(given: string | undefined): string | null {
  if (given === undefined) return null;
  const title = given.trim();
  if (title === "" || /\p{Cc}/u.test(title))
    throw invalid(
      "title must have a letter or sign that can be seen, and no line breaks or other control characters.",
    );
  return title;
}
