import type { BrowserContext } from "@playwright/test";
import type { Clock } from "../../platform/clock.ts";
import { SECRET_AUTOCOMPLETE } from "../page-scripts/secret-fields.ts";
import type { TypedValues } from "../redaction/typed.ts";

/** How long pages may take to tell what they have seen; what they do not tell counts as secret. */
const ASK_MS = 1000;

/** Knows which of the texts that a test types go into fields that nobody is to read. */
export interface TypingWatch {
  begin(stepId: string, text: string): void;
  /** Keeps the text of a step out of everything recorded from now on, wherever it is typed. */
  hide(stepId: string): void;
  /** Whether nobody is to read the text; resolves when the pages have told all they saw of it. */
  end(stepId: string): Promise<boolean>;
}

/**
 * The test types by itself, so that nobody can look at a field before. Its page tells of it, before its own code learns that
 * something was typed: what that does with it comes later, in the same order.
 */
export async function watchTyping(
  context: BrowserContext,
  {
    typed,
    clock,
    binding,
    untraced,
  }: {
    typed: TypedValues;
    clock: Clock;
    /** A name that pages cannot guess. */
    binding: string;
    /** Makes calls of Playwright that its own records are not to show. */
    untraced: <T>(work: () => Promise<T>) => Promise<T>;
  },
): Promise<TypingWatch> {
  const typing = new Map<string, { text: string; isSecret: boolean }>();

  function see(value: string, isDone: boolean): void {
    const all = [...typing.values()];
    const whole = all.filter(({ text }) => value.includes(text));
    // Of one that is typed key by key the whole text is known from the first key on.
    if (!isDone) for (const one of whole.length > 0 ? whole : all) keepOut(one);
    // Its mere beginning may be any word.
    if (!all.some(({ text }) => text !== value && text.startsWith(value))) typed.add(value);
  }

  function keepOut(one: { text: string; isSecret: boolean }): void {
    one.isSecret = true;
    typed.add(one.text);
  }

  /** Whether every page has told all that it saw until now: it tells in the order in which it is asked. */
  async function haveTold(): Promise<boolean> {
    const over = new AbortController();
    const frames = context.pages().flatMap((page) => page.frames());
    // A document that is gone told everything before it went.
    const asked = frames.map((frame) => untraced(() => frame.evaluate("0")).catch(() => null));
    const late = clock.sleep(ASK_MS, over.signal).then(() => false);
    const told = await Promise.race([Promise.all(asked).then(() => true), late]);
    over.abort();
    return told;
  }

  await context.exposeBinding(binding, (_, value: unknown, isDone: unknown) => {
    if (typeof value === "string") see(value, isDone === true);
  });
  await context.addInitScript(tellWhatIsTyped, { binding, autocomplete: SECRET_AUTOCOMPLETE.source });

  return {
    begin: (stepId, text) => void typing.set(stepId, { text, isSecret: false }),
    hide(stepId) {
      const one = typing.get(stepId);
      if (one) keepOut(one);
    },
    async end(stepId) {
      const one = typing.get(stepId);
      if (!one) return false;
      if (!one.isSecret && !(await haveTold())) keepOut(one);
      typing.delete(stepId);
      return one.isSecret;
    },
  };
}

/** Runs in every frame, so it refers to nothing outside itself. */
function tellWhatIsTyped({ binding, autocomplete }: { binding: string; autocomplete: string }): void {
  const secret = new RegExp(autocomplete, "i");
  const tell = (window as unknown as Record<string, (value: string, isDone: boolean) => void>)[binding];
  const look = (event: Event) => {
    const [field] = event.composedPath();
    if (!(field instanceof HTMLInputElement)) return;
    if (field.type !== "password" && !secret.test(field.autocomplete)) return;
    tell?.(field.value, event.type === "change");
    // Before it is painted: pictures show dots.
    field.style.setProperty("-webkit-text-security", "disc", "important");
  };
  const listen = () => {
    addEventListener("input", look, true);
    addEventListener("change", look, true);
  };
  listen();
  // A document that is opened anew (`setContent`) loses its listeners, but not those that watch it.
  new MutationObserver(listen).observe(document, { childList: true });
}
