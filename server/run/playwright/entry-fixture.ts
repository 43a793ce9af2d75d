import type { BrowserContext, TestInfo } from "@playwright/test";
import { startCapture } from "./fixture.ts";
import type { FixtureOptions } from "./options.ts";

/** The script of `page-recorder.ts`, put in by the build. */
declare const __TRACEDECK_PAGE_RECORDER__: string;
/** The script of `page-cover.ts`. */
declare const __TRACEDECK_PAGE_COVER__: string;

interface Extendable {
  extend(fixtures: Record<string, unknown>): unknown;
}

/** Adds native capture to a test object of `@playwright/test`; `use: { tracedeck: … }` overrides the defaults. */
export function withTracedeck<T>(test: T, defaults: FixtureOptions = {}): T {
  return (test as Extendable).extend({
    tracedeck: [defaults, { option: true }],
    // Playwright reads the names of the fixtures that it needs from this very parameter.
    context: async (
      { context, tracedeck }: { context: BrowserContext; tracedeck: FixtureOptions },
      use: (context: BrowserContext) => Promise<void>,
      testInfo: TestInfo,
    ) => {
      const pageRecorder = __TRACEDECK_PAGE_RECORDER__;
      const given = { ...defaults, ...tracedeck };
      const pageCover = __TRACEDECK_PAGE_COVER__;
      const scripts = { pageRecorder, pageCover };
      const capture = await startCapture(context, testInfo, given, { env: process.env, ...scripts });
      await use(context);
      await capture?.finish();
    },
  }) as T;
}
