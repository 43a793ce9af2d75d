import type { BrowserContext } from "playwright-core";
import { openInternalZone, type Within } from "./internals.ts";

const ways = new WeakMap<BrowserContext, Promise<Within>>();

/**
 * Does what the runner asks of a context for its own sake, in the way that Playwright does its own: without noting it down in
 * the archive, for which it would record the page before and after every question, and without taking the stack of every
 * call, which costs more than the call does. Playwright has no public name for it; where it has none at all, the questions
 * are noted down.
 * @throws what `work` throws, as it is
 */
export async function untraced<T>(context: BrowserContext, work: () => Promise<T>): Promise<T> {
  let way = ways.get(context);
  if (!way) {
    way = openInternalZone(context);
    ways.set(context, way);
  }
  const within = await way;
  return within(work);
}
