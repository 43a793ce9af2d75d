import { AsyncLocalStorage } from "node:async_hooks";
import type { BrowserContext } from "playwright-core";

type Within = <T>(work: () => T) => T;
type Wrap = (work: () => Promise<Within>, options: { internal: boolean }) => Promise<Within>;

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
    way = openWay(context);
    ways.set(context, way);
  }
  const within = await way;
  return within(work);
}

/** What Playwright calls a zone: calls made within one belong to the call that it was made for, which here is none. */
async function openWay(context: BrowserContext): Promise<Within> {
  const { _wrapApiCall: wrap } = context as unknown as { _wrapApiCall?: Wrap };
  if (!wrap) return (work) => work();
  return wrap.call(context, async () => AsyncLocalStorage.snapshot(), { internal: true });
}
