import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatAge } from "../../ui/format.ts";
import { ArrowUp, Close, Copy, More, StopCircle, Trash } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Menu } from "../../ui/menu.tsx";
import { copyText, notify } from "../../ui/toast.tsx";
import { useModel } from "../model/model.ts";
import { Answer, type Ways } from "./answer.tsx";
import type { Chat, Message } from "./api.ts";
import { type Conversation, conversationOf } from "./conversation.ts";
import { addressOf, goToPlace, type Place } from "./go.ts";
import { Looks } from "./looks.tsx";
import { askState, closeAsk } from "./state.ts";

const LONGEST = 8_000;
/** A reader who is so near to the end goes along with what comes. */
const NEAR_END = 60;
/** Pixels above a question that stands on top. */
const ABOVE = 12;

const cents = (amount: number): string =>
  amount > 0 && amount < 0.01 ? "less than 0.01 ¢" : `${Number(amount.toFixed(2))} ¢`;
const price = (amount: number): string => (amount === 0 ? "free" : cents(amount));

/** Who answered, and what it cost. */
function By({ message }: { message: Message }): JSX.Element {
  const end = { done: "", answering: "", cut: " · cut off", failed: " · broke off" }[message.state];
  return (
    <p class="ask-by dim">
      <span>
        {message.model === null ? "Rules, no model" : message.model} · {price(message.cost_cents)}
        {end && <span class="is-error">{end}</span>}
      </span>
      {message.content && (
        <button
          type="button"
          class="icon-button"
          aria-label="Copy the answer"
          title="Copy the answer"
          onClick={() => void copyText(message.content, "The answer")}
        >
          <Copy />
        </button>
      )}
    </p>
  );
}

function Said({ message, go }: { message: Message; go: Ways }): JSX.Element {
  if (message.role === "user") return <p class="ask-question captured">{message.content}</p>;
  return (
    <div class="ask-answer">
      <Looks calls={message.tool_calls} />
      <Answer text={message.content} go={go} />
      <By message={message} />
    </div>
  );
}

/** How far a log scrolls until its last question stands on top: answers are read from their beginning. */
function lastQuestionTop(log: HTMLElement): number {
  const question = [...log.querySelectorAll(".ask-question")].at(-1);
  if (!question) return 0;
  return question.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop - ABOVE;
}

/** The answer that is being written. */
function Underway({ talk, go }: { talk: Conversation; go: Ways }): JSX.Element | null {
  const now = talk.underway.value;
  if (!now) return null;
  return (
    <>
      <p class="ask-question captured">{now.question}</p>
      <div class="ask-answer" aria-busy="true">
        <Looks calls={now.looks} />
        <Answer text={now.text} go={go} />
        <p class="ask-by dim">{now.text === "" ? "Looking…" : "Answering…"}</p>
      </div>
    </>
  );
}

function Head({ talk, chat }: { talk: Conversation; chat: Chat | null }): JSX.Element {
  const model = useModel();
  const others = talk.others.value;
  return (
    <header class="toolbar ask-head">
      <h2>Ask</h2>
      <select
        class="select"
        aria-label="Chats about this trace"
        value={chat?.id ?? ""}
        disabled={others.length < 2 || talk.underway.value !== null}
        onChange={({ currentTarget }) => void talk.show(currentTarget.value)}
      >
        {others.map(({ id, title, created_at }) => (
          <option key={id} value={id}>
            {title.slice(0, 60)} · {formatAge(created_at, Date.now())}
          </option>
        ))}
      </select>
      <span class="bar-space" />
      <Menu
        label="Chats"
        button={<More />}
        items={[
          { label: "New chat", run: () => void talk.begin() },
          { label: "Remove this chat", icon: <Trash />, run: () => void talk.remove() },
        ]}
      />
      <button
        type="button"
        class="icon-button"
        aria-label="Close the chat"
        title="Close ( Esc )"
        onClick={() => closeAsk(model)}
      >
        <Close />
      </button>
    </header>
  );
}

/** The chat about this trace. */
export function AskPane(): JSX.Element {
  const model = useModel();
  const talk = conversationOf(model);
  const chat = talk.chat.value;
  const { draft } = talk;
  const field = useRef<HTMLTextAreaElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const focus = askState(model).focusRequests.value;
  const isBusy = talk.underway.value !== null;
  const opener = useRef(document.activeElement);

  useEffect(() => void talk.open(), [talk]);
  // Whoever closes it by keyboard goes on where they were.
  useLayoutEffect(
    () => () => {
      const isWithin = log.current?.closest("aside")?.contains(document.activeElement);
      if (isWithin && opener.current instanceof HTMLElement) opener.current.focus();
    },
    [],
  );
  useLayoutEffect(() => {
    if (!isNarrow.peek() || focus > 1) field.current?.focus();
  }, [focus]);
  // Goes along with what comes until the question stands on top, unless the reader has gone up.
  const isAtEnd = useRef(true);
  const text = talk.underway.value?.text;
  useLayoutEffect(() => {
    const at = log.current;
    if (at && isAtEnd.current) at.scrollTop = Math.min(at.scrollHeight, lastQuestionTop(at));
  }, [chat, text, isBusy]);

  const follow = (place: Place): void => {
    if (isNarrow.peek()) closeAsk(model);
    goToPlace(model, place).then(
      (wrong) => wrong && notify(wrong, { isError: true }),
      (error: unknown) => notify(error instanceof Error ? error.message : String(error), { isError: true }),
    );
  };
  const go: Ways = { go: follow, addressOf: (place) => addressOf(model, place) };
  // A button that goes away with the press takes the focus with it. On a phone the field would bring up the keyboard.
  const stay = (): void => (isNarrow.peek() ? log : field).current?.focus();
  const ask = (question: string): void => {
    const wanted = question.trim();
    if (wanted === "" || isBusy) return;
    isAtEnd.current = true;
    stay();
    void talk.ask(wanted);
  };
  const stop = (): void => {
    stay();
    talk.stop();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      ask(draft.peek());
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (!talk.stop()) closeAsk(model);
    }
  };
  const isNew = chat !== null && chat.messages.length < 2 && !isBusy;
  return (
    <>
      <Head talk={talk} chat={chat} />
      <div
        class="ask-log"
        ref={log}
        role="log"
        aria-label="Questions and answers"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
        tabIndex={0}
        onScroll={({ currentTarget: at }) => {
          isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_END;
        }}
      >
        {chat?.messages.map((message) => (
          <Said key={message.id} message={message} go={go} />
        ))}
        <Underway talk={talk} go={go} />
        {talk.problem.value !== null && (
          <p class="ask-problem" role="alert">
            {talk.problem.value}
          </p>
        )}
        {isNew && (
          <div class="ask-suggestions">
            {chat.suggestions.map((one) => (
              <button key={one} type="button" class="toggle" onClick={() => ask(one)}>
                {one}
              </button>
            ))}
          </div>
        )}
      </div>
      <form
        class="ask-form"
        onSubmit={(event) => {
          event.preventDefault();
          ask(draft.peek());
        }}
      >
        <textarea
          ref={field}
          class="input"
          rows={2}
          maxLength={LONGEST}
          aria-label="Your question"
          placeholder="Ask about this trace"
          value={draft.value}
          onInput={({ currentTarget }) => {
            draft.value = currentTarget.value;
          }}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <button type="button" class="button" onClick={stop}>
            <StopCircle />
            Stop
          </button>
        ) : (
          <button type="submit" class="button is-primary" disabled={draft.value.trim() === ""}>
            <ArrowUp />
            Ask
          </button>
        )}
      </form>
      {chat && (
        <p class="ask-foot dim">
          {chat.answers_by === null
            ? "Answers by rules: no model, no cost. Nothing leaves this server."
            : `${chat.answers_by} answers. ${cents(chat.budget.spent_cents)} of ${cents(chat.budget.limit_cents)} used this month.`}
        </p>
      )}
    </>
  );
}
