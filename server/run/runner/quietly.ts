import type { Page } from "playwright-core";

type Wrap = (work: () => Promise<unknown>, options: { internal: boolean }) => Promise<unknown>;

/**
 * Does what the runner asks a page for its own sake, in the way that Playwright does its own: without noting it down in
 * the archive, for which it would record the page before and after every question. Playwright has no public name for it;
 * where it has none at all, the questions are noted down.
 */
export function quietly<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const { _wrapApiCall: wrap } = page as unknown as { _wrapApiCall?: Wrap };
  return wrap ? (wrap.call(page, work, { internal: true }) as Promise<T>) : work();
}
