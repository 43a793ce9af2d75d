import type { Page } from "playwright-core";
import { StepFailure } from "../errors.ts";

/** A page may send on another at once, and that another; one that never ends is no page that steps can act on. */
const MOST_TRIES = 100;
const NAVIGATED = /context was destroyed|cannot find context/i;

/**
 * What the clock of a page shows, epoch ms: its own, which steps may have moved. A page that is left while it is asked
 * has another come in its place, and that is asked.
 * @throws StepFailure for a clock that shows none; what Playwright throws
 */
export async function pageTime(page: Page): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      const time: unknown = await page.evaluate(() => new window.Date().getTime());
      if (typeof time === "number" && Number.isFinite(time)) return time;
      throw new StepFailure("The page's clock shows no time.");
    } catch (error) {
      if (tries === MOST_TRIES || !(error instanceof Error && NAVIGATED.test(error.message))) throw error;
    }
  }
}
