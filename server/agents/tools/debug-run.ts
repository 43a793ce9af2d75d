import { Type } from "@sinclair/typebox";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, type ErrorCode, invalid } from "../../http/errors.ts";
import { scenarioFileOf } from "../../run/replays/source.ts";
import { requireRun } from "../../run/runs/service.ts";
import { askChat } from "../../trace/chats/ask.ts";
import { LONGEST_QUESTION } from "../../trace/chats/model.ts";
import { createChat, listChats, showChat } from "../../trace/chats/service.ts";
import { told } from "../../trace/fit.ts";
import { cut } from "../../trace/format/error-text.ts";
import { codeBlock, codeSpan } from "../../trace/format/markdown.ts";
import { tracePrompt } from "../../trace/prompts/service.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { Cursor, FIND_A_TRACE, NextCursor, Text, TextOrNull, TraceId, Url } from "./shared.ts";

/** Characters of an answer's text; the most telling parts stand first. */
const PART = 5_500;
const MOST_ANSWER = 7_000;
/** Characters of a scenario file, which mostly has some hundreds. */
const LONGEST_FILE = 12_000;

export const debugRun = defineTool({
  name: "product_debug_run",
  title: "Debug a run",
  description:
    "A failed run told whole, to mend it: cause, error, call log, test source around the failing line, failing requests with bodies, steps before, console errors, page tree. It begins a chat about the trace: with question, the debugger answers in it; chat_id goes on with one.",
  scope: ["traces:read", "mcp:debug"],
  isWrite: true,
  whenMissing: FIND_A_TRACE,
  input: Type.Object({
    trace_id: Type.Optional(TraceId),
    run_id: Type.Optional(Type.String({ format: "uuid", description: "A run, instead of its trace." })),
    question: Type.Optional(
      Type.String({ minLength: 1, maxLength: LONGEST_QUESTION, description: "Asked in the chat." }),
    ),
    chat_id: Type.Optional(Type.String({ format: "uuid", description: "Of the answer before." })),
    cursor: Cursor,
  }),
  output: Type.Object({
    ...{ trace_id: Text, run_id: TextOrNull, status: Text },
    context: Type.String({
      description: "CommonMark; goes on where the cursor points. Empty with a question.",
    }),
    chat_id: TextOrNull,
    answer: TextOrNull,
    cost_cents: Type.Number(),
    url: Url,
    next_cursor: NextCursor,
  }),
  async call(deps, caller, { trace_id: named, run_id: runId, cursor, question, chat_id: chatId }) {
    const from = readCursor(cursor);
    if ((named === undefined) === (runId === undefined))
      throw invalid('Give either the argument "trace_id" or the argument "run_id".');
    const run = runId === undefined ? null : await requireRun(deps, caller.actor, runId);
    if (run && run.trace_id === null)
      throw new AppError(
        "conflict",
        "The run has no trace yet: look at it with product_get_run and call again.",
      );
    const { trace } = await requireNamedTrace(deps, caller, named ?? run!.trace_id!);
    const text = question === undefined ? await wholeFailure(deps, caller, trace) : "";
    const end = endOfPart(text, from);
    // Who reads on has a chat already.
    const chat = from > 0 && chatId === undefined ? null : await chatFor(deps, caller, trace.id, chatId);
    const answered = chat && question !== undefined ? await hear(deps, caller, chat, question) : null;
    return {
      trace_id: trace.id,
      run_id: run?.id ?? trace.run_id,
      status: trace.status,
      context: text.slice(from, end),
      chat_id: chat,
      answer: answered && told(answered.text, MOST_ANSWER),
      cost_cents: answered?.cents ?? 0,
      url: traceLink(caller, trace.id, trace.failed_step_id),
      next_cursor: end < text.length ? String(end) : null,
    };
  },
});

/** The failure as a prompt; of a scenario with its file, which an agent needs for the diff of a replay. */
async function wholeFailure(deps: Deps, { actor, publicOrigin }: Caller, trace: TraceRow): Promise<string> {
  const prompt = await tracePrompt(deps, trace, publicOrigin, "member");
  const file = actor.scopes.has("traces:read") ? await scenarioFileOf(deps, trace) : null;
  if (!file) return prompt;
  const isWhole = file.text.length <= LONGEST_FILE;
  return [
    `${prompt.trimEnd()}\n\n## The scenario file, as it ran`,
    `${codeSpan(file.name)}${isWhole ? "" : ", its beginning"}. To try a change out, give a unified diff of it to product_replay_trace as edits.scenario_diff.`,
    `${codeBlock(isWhole ? file.text : cut(file.text, LONGEST_FILE))}\n`,
  ].join("\n\n");
}

/** The chat that is named, or a new one; of a trace that has as many as it may, the newest. */
async function chatFor(
  deps: Deps,
  { actor }: Caller,
  traceId: string,
  id: string | undefined,
): Promise<string> {
  if (id !== undefined) {
    const chat = await showChat(deps, actor, id);
    if (chat.trace_id === traceId) return chat.id;
    throw invalid('The argument "chat_id" is a chat about another trace.');
  }
  try {
    return (await createChat(deps, actor, traceId, {})).id;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "conflict") throw error;
    return (await listChats(deps, actor, traceId)).items[0]!.id;
  }
}

/** Asks, and waits for the whole answer. @throws AppError as the chat's own endpoint answers */
async function hear(deps: Deps, { actor, signal, diffs }: Caller, chatId: string, question: string) {
  const source = await askChat(deps, actor, { chatId, content: question, diffs });
  let text = "";
  let cents = 0;
  for await (const { event, data } of source(signal)) {
    if (event === "token") text += (JSON.parse(data) as { text: string }).text;
    if (event === "done") cents = (JSON.parse(data) as { usage: { cents: number } }).usage.cents;
    if (event === "error") {
      const { error, message } = JSON.parse(data) as { error: ErrorCode; message: string };
      throw new AppError(error, message);
    }
  }
  return { text, cents };
}

/** Where a line ends, if one does in the last half of the part. */
function endOfPart(text: string, from: number): number {
  const most = from + PART;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf("\n", most) + 1;
  return line > from + PART / 2 ? line : most;
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,6}$/.test(cursor))
    throw invalid('The argument "cursor" is not one that product_debug_run gave out.');
  return Number(cursor);
}
