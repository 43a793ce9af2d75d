import type { Page } from "playwright-core";

type Wrap = <T>(work: () => Promise<T>, options: { internal: boolean }) => Promise<T>;

/**
 * Does what the runner asks a page for its own sake, in the way that Playwright does its own: without noting it down in
 * the archive, for which it would record the page before and after every question. Playwright has no public name for it;
 * where it has none at all, the questions are noted down.
 * @throws what `work` throws, as it is
 */
export async function quietly<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const { _wrapApiCall: wrap } = page as unknown as { _wrapApiCall?: Wrap };
  if (!wrap) return work();
  // Errors go around it: it would put its own name before their words.
  const settled = await wrap.call(page, async () => (await Promise.allSettled([work()]))[0], {
    internal: true,
  });
  const { status } = settled as PromiseSettledResult<T>;
  if (status === "rejected") throw (settled as PromiseRejectedResult).reason;
  return (settled as PromiseFulfilledResult<T>).value;
}
