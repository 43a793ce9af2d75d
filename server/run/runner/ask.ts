import type { Locator } from "playwright-core";
import { askElements } from "../browsers/internals.ts";

/**
 * Asks the elements that a locator fits, as they are now; null when it fits none, and when the page went on meanwhile.
 *
 * The question is put in the world where Playwright looks for elements anyway. Its public ways put it in the page's own
 * world, where all of Playwright's script has to be loaded for it once more, for each document; and they note it down in
 * the archive, with the page before and after it.
 * @param read source of a function of all elements; it runs in the page, so it refers to nothing outside itself
 */
export const ask = async <T>(locator: Locator, read: string): Promise<T | null> =>
  (await askElements(locator, `({ elements }) => (${read})(elements)`)) as T | null;
