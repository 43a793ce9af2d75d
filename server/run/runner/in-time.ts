import type { BrowserContext } from "playwright-core";
import type { Execution } from "./execution.ts";
import { browserCrashed } from "./verdict.ts";

const CLOSE_MS = 10_000;
/** What a run that was told to end may take for it, closing included. */
const END_MS = 20_000;

/** Waits for a run; once it was told to end, or its browser has gone, no longer than that may take. */
export async function endInTime<T>(
  { browser, clock, endBrowser, signal }: Execution,
  run: Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  signal.addEventListener("abort", end, { once: true });
  browser.once("disconnected", end);
  if (signal.aborted) end();
  const late = ended.promise
    .then(() => clock.sleep(END_MS, over.signal))
    .then((): never => {
      if (!over.signal.aborted) endBrowser();
      throw signal.aborted ? signal.reason : browserCrashed();
    });
  // Of a run that ended in time nobody waits for this.
  late.catch(() => {});
  try {
    return await Promise.race([run, late]);
  } finally {
    over.abort();
    signal.removeEventListener("abort", end);
    browser.off("disconnected", end);
  }
}

/** A browser in which not even this works any more is of no use to anybody. */
export async function closeInTime({ clock, endBrowser }: Execution, context: BrowserContext): Promise<void> {
  const over = new AbortController();
  const isLate = clock.sleep(CLOSE_MS, over.signal).then(() => !over.signal.aborted);
  const isClosed = context.close().then(
    () => false,
    () => false,
  );
  if (await Promise.race([isClosed, isLate])) endBrowser();
  over.abort();
}
