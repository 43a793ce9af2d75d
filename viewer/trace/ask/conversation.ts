import { batch, signal } from "@preact/signals";
import { errorText, isAbort } from "../../api/request.ts";
import type { TraceModel } from "../model/model.ts";
import { perModel } from "../model/scope.ts";
import { type Chat, chatApi, type ToolCall } from "./api.ts";

/** How often an answer that another page hears, or that has just been stopped, is asked for, and how many times. */
const LOOK_MS = 300;
const LOOKS = 30;

/** A chat, once no answer in it is being written any more, or after a while. */
async function settled(id: string): Promise<Chat> {
  for (let look = 1; ; look++) {
    const chat = await chatApi.show(id);
    if (look === LOOKS || chat.messages.at(-1)?.state !== "answering") return chat;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** An answer as far as it came. */
export interface Underway {
  question: string;
  text: string;
  looks: readonly ToolCall[];
}

/** The chat that is shown, and what is being answered in it. It goes on while the column is closed. */
export const conversationOf = perModel((model: TraceModel) => {
  const chat = signal<Chat | null>(null);
  const others = signal<readonly { id: string; title: string; created_at: string; message_count: number }[]>(
    [],
  );
  const underway = signal<Underway | null>(null);
  /** What is being typed, and a question that did not arrive. */
  const draft = signal("");
  const problem = signal<string | null>(null);
  const isLoading = signal(false);
  let stopping: AbortController | null = null;
  let opening: Promise<void> | null = null;
  const traceId = () => model.source.id;

  async function attempt(work: () => Promise<void>): Promise<void> {
    problem.value = null;
    isLoading.value = true;
    try {
      await work();
    } catch (error) {
      if (!isAbort(error)) problem.value = errorText(error);
    } finally {
      isLoading.value = false;
    }
  }

  async function readList(): Promise<void> {
    others.value = (await chatApi.list(traceId())).items;
  }

  /** Shows the newest chat of the trace; begins one where there is none. */
  function open(): Promise<void> {
    opening ??= attempt(async () => {
      if (chat.peek()) return;
      await readList();
      const [newest] = others.peek();
      chat.value = newest ? await chatApi.show(newest.id) : await chatApi.begin(traceId());
      if (!newest) await readList();
    }).finally(() => {
      opening = null;
    });
    return opening;
  }

  /** A question that no chat holds stands before what was typed meanwhile. */
  function giveBack(question: string): void {
    draft.value = [question, draft.peek()].filter((text) => text !== "").join("\n");
  }

  return {
    chat,
    others,
    underway,
    draft,
    problem,
    isLoading,
    open,
    begin: () =>
      attempt(async () => {
        chat.value = await chatApi.begin(traceId());
        await readList();
      }),
    show: (id: string) =>
      attempt(async () => {
        chat.value = await settled(id);
      }),
    remove: () =>
      attempt(async () => {
        const shown = chat.peek();
        if (!shown) return;
        await chatApi.remove(shown.id);
        await readList();
        const [newest] = others.peek();
        chat.value = newest ? await chatApi.show(newest.id) : await chatApi.begin(traceId());
        if (!newest) await readList();
      }),
    /**
     * Asks in the shown chat, once it is there. What comes is shown as it comes; then the chat is read as it was kept. A question that it
     * does not hold goes back into the draft.
     */
    async ask(question: string): Promise<void> {
      if (underway.peek()) return;
      const stop = new AbortController();
      stopping = stop;
      batch(() => {
        problem.value = null;
        draft.value = "";
        underway.value = { question, text: "", looks: [] };
      });
      await open();
      const shown = chat.peek();
      if (!shown) {
        stopping = null;
        batch(() => {
          giveBack(question);
          underway.value = null;
        });
        return;
      }
      try {
        await chatApi.ask(shown.id, question, {
          signal: stop.signal,
          onText: (text) => {
            const now = underway.peek();
            if (now) underway.value = { ...now, text: now.text + text };
          },
          onLook: (call) => {
            const now = underway.peek();
            if (now) underway.value = { ...now, looks: [...now.looks, call] };
          },
        });
      } catch (error) {
        if (!isAbort(error)) problem.value = errorText(error);
      }
      stopping = null;
      const kept = await settled(shown.id).catch((error: unknown) => {
        problem.value ??= errorText(error);
        return null;
      });
      await readList().catch(() => {});
      const known = new Set(shown.messages.map(({ id }) => id));
      const hasArrived = kept?.messages.some(
        ({ id, role, content }) => role === "user" && content === question && !known.has(id),
      );
      batch(() => {
        if (!hasArrived) giveBack(question);
        if (kept && chat.peek()?.id === kept.id) chat.value = kept;
        underway.value = null;
      });
    },
    /** Ends the answer that is under way; what was said stays. @returns whether one was */
    stop(): boolean {
      const was = stopping !== null;
      stopping?.abort();
      return was;
    },
  };
});

export type Conversation = ReturnType<typeof conversationOf>;
