import type { Frame, Locator } from "playwright-core";
import { implOf } from "../browsers/internals.ts";

/** Playwright's own way to the elements of a frame, as far as it is used here. */
interface FrameImpl {
  selectors: {
    callOnSelector(
      target: { selector: string; strict: boolean },
      /** Its text is what counts. */
      read: string,
      argument: null,
    ): Promise<{ result: unknown } | null>;
  };
  /** Whether asking once more would end the same. */
  isNonRetriableError(error: unknown): boolean;
}

/**
 * Asks the elements that a locator fits, as they are now; null when it fits none, and when the page went on meanwhile.
 *
 * The question is put in the world where Playwright looks for elements anyway. Its public ways put it in the page's own
 * world, where all of Playwright's script has to be loaded for it once more, for each document; and they note it down in
 * the archive, with the page before and after it.
 * @param read source of a function of all elements; it runs in the page, so it refers to nothing outside itself
 */
export async function ask<T>(locator: Locator, read: string): Promise<T | null> {
  const { _frame, _selector: selector } = locator as unknown as { _frame: Frame; _selector: string };
  const frame = implOf<FrameImpl>(_frame);
  try {
    const target = { selector, strict: false };
    const found = await frame.selectors.callOnSelector(target, `({ elements }) => (${read})(elements)`, null);
    return (found?.result ?? null) as T | null;
  } catch (error) {
    if (frame.isNonRetriableError(error)) throw error;
    return null;
  }
}
