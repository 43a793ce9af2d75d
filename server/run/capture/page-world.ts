import type { Page } from "playwright-core";
import { mainSessionOf } from "../browsers/internals.ts";

/** The name of the world; a page cannot enter it, so it may know it. */
const WORLD = "__tracedeck_world__";

/** Of the messages about a page's worlds. */
interface WorldParams {
  name?: string;
  payload?: string;
  executionContextId?: number;
  context?: { id: number; name: string; auxData?: { frameId?: string } };
}

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: { text: string };
}

/**
 * A world of our own in each document of a page: the same document, but other globals. Nothing that the page's scripts do
 * to theirs (a replaced `JSON`, a getter on `Object.prototype`) reaches it, and nothing in it can be found by them.
 */
export interface PageWorld {
  /** The value of an expression there, in the page's main frame. @throws when the page is left meanwhile, or the expression throws */
  evaluate(expression: string): Promise<unknown>;
}

/**
 * Opens it before the scripts of each document.
 * @param options.script runs there before the page's own scripts, in its frames too
 * @param options.said takes what the script says by the function named `binding`, which is there and nowhere else
 * @param options.announcer runs in the page's own world
 */
export async function openPageWorld(
  page: Page,
  options: { script: string; announcer: string; binding: string; said: (text: string) => void } | null,
): Promise<PageWorld> {
  const session = mainSessionOf(page);
  let context = Promise.withResolvers<number>();
  let contextId: number | null = null;

  function forget(): void {
    if (contextId === null) return;
    contextId = null;
    context = Promise.withResolvers();
  }

  session.intercept((message, pass) => {
    const { method } = message;
    const params = message.params as WorldParams | undefined;
    // Playwright takes every function for one of its own.
    if (method === "Runtime.bindingCalled" && options && params?.name === options.binding) {
      options.said(params.payload ?? "");
      return;
    }
    const created = method === "Runtime.executionContextCreated" ? params?.context : undefined;
    if (created?.name === WORLD && created.auxData?.frameId === session.mainFrameId()) {
      forget();
      contextId = created.id;
      context.resolve(created.id);
    }
    if (method === "Runtime.executionContextsCleared") forget();
    if (method === "Runtime.executionContextDestroyed" && params?.executionContextId === contextId) forget();
    pass();
  });
  // The browser takes them in this order.
  const sent = options
    ? [
        session.send("Runtime.addBinding", { name: options.binding, executionContextName: WORLD }),
        session.send("Page.addScriptToEvaluateOnNewDocument", { source: options.announcer }),
      ]
    : [];
  sent.push(
    session.send("Page.addScriptToEvaluateOnNewDocument", {
      source: options?.script ?? "",
      worldName: WORLD,
      runImmediately: true,
    }),
  );
  await Promise.all(sent);

  return {
    async evaluate(expression) {
      const id = contextId ?? (await context.promise);
      const answer = await session.send("Runtime.evaluate", {
        expression,
        contextId: id,
        returnByValue: true,
      });
      const { result, exceptionDetails } = answer as Evaluated;
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result.value;
    },
  };
}
