import type { Page } from "playwright-core";
import { implOf } from "../browsers/internals.ts";

interface Message {
  method?: string;
  params?: { name?: string; payload?: string };
}

/** Playwright's own session with a page, as far as it is used here. */
interface PageImpl {
  delegate: { _mainFrameSession: { _client: Session } };
}
interface Session {
  send(method: string, params: Record<string, unknown>): Promise<unknown>;
  _onMessage(message: Message): void;
}

/** A function in a page by which its scripts say something. */
export interface PageBinding {
  /** Runs an expression in the page; what it says by the function has been taken when this resolves. */
  run(expression: string): Promise<void>;
}

/**
 * Puts a function into each document of a page, before its scripts; what it is called with is handed to `take`. Playwright's
 * own way answers each call in the page, and drops those of a document that is being left; it takes every function for one
 * of its own, so calls of this one are kept from it.
 */
export async function bindPage(page: Page, name: string, take: (text: string) => void): Promise<PageBinding> {
  const session = implOf<PageImpl>(page).delegate._mainFrameSession._client;
  const receive = session._onMessage.bind(session);
  session._onMessage = (message) => {
    const { method, params } = message;
    if (method === "Runtime.bindingCalled" && params?.name === name) take(params.payload ?? "");
    else receive(message);
  };
  await session.send("Runtime.addBinding", { name });
  return {
    async run(expression) {
      await session.send("Runtime.evaluate", { expression });
    },
  };
}
