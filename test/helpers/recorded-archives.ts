import { afterAll, beforeAll, setDefaultTimeout } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { causeOfArchive, type ReadCause } from "./archive-cause.ts";
import { closeBrowser, openBrowser } from "./browser.ts";

export interface RecordedArchives {
  /**
   * The path of the archive that Playwright records of what a test does on a page.
   * @param act actions of the test; it handles the failure that it means to record
   */
  record(act: (tab: Page) => Promise<unknown>, options?: RecordOptions): Promise<string>;
  /** The cause of a recorded archive; `passes` newest first. */
  causeOf(failure: string, passes?: string[]): Promise<ReadCause>;
}

interface RecordOptions {
  context?: BrowserContextOptions;
  /** Whether the archive holds the test's own source. */
  sources?: boolean;
}

/** Archives that a file's tests record with a real browser; folder and browser end with the file. */
export function recordedArchives(): RecordedArchives {
  setDefaultTimeout(60_000);
  let root: string;
  let recorded = 0;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "tracedeck-archives-"));
  });
  afterAll(async () => {
    await closeBrowser();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    async record(act, { context: contextOptions, sources = false } = {}) {
      const context = await (await openBrowser()).newContext(contextOptions);
      const path = join(root, `${++recorded}.zip`);
      await context.tracing.start({ snapshots: true, sources });
      await act(await context.newPage());
      await context.tracing.stop({ path });
      await context.close();
      return path;
    },
    causeOf: (failure, passes) => causeOfArchive(root, failure, passes),
  };
}
