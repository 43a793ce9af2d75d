import type { Page } from "playwright-core";
import { mainSessionOf } from "../browsers/internals.ts";

/**
 * A world in each document of a page that is not the page's: the same document, but other globals. Nothing that the page's scripts do
 * to theirs (a replaced `JSON`, a getter on `Object.prototype`) reaches it, and nothing in it can be found by them. It is the one in
 * which Playwright has its own scripts: each world more costs every document about 3 ms.
 */
export interface PageWorld {
  /** The value of an expression there, in the page's main frame. @throws when the page has gone or is left meanwhile, or the expression throws */
  evaluate(expression: string): Promise<unknown>;
}

export const pageWorldOf = (page: Page): PageWorld => ({
  evaluate: async (expression) => mainSessionOf(page).world.evaluate(expression),
});

/**
 * Has a script run there before those of each document.
 * @param options.script runs in the page's frames too
 * @param options.said takes what the script says by the function named `binding`, which is there and nowhere else
 * @param options.announcer runs in the page's own world
 */
export async function runInPageWorld(
  page: Page,
  options: { script: string; announcer: string; binding: string; said: (text: string) => void },
): Promise<void> {
  const session = mainSessionOf(page);
  const worldName = session.world.name;
  session.intercept(({ method, params }, pass) => {
    // Playwright takes every function for one of its own.
    if (method === "Runtime.bindingCalled" && params?.name === options.binding)
      options.said(String(params.payload ?? ""));
    else pass();
  });
  // The browser takes them in this order.
  await Promise.all([
    session.send("Runtime.addBinding", { name: options.binding, executionContextName: worldName }),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: options.announcer }),
    session.send("Page.addScriptToEvaluateOnNewDocument", {
      source: options.script,
      worldName,
      runImmediately: true,
    }),
  ]);
}
