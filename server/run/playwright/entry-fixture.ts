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

interface Needed {
  tracedeckSending: Promise<void>[];
  context: BrowserContext;
  tracedeck: FixtureOptions;
}

/** Adds native capture to a test object of `@playwright/test`; `use: { tracedeck: … }` overrides the defaults. */
export function withTracedeck<T>(test: T, defaults: FixtureOptions = {}): T {
  return (test as Extendable).extend({
    tracedeck: [defaults, { option: true }],
    // It is made before the context, so it ends after that: what was recorded is sent while pages close, and the test waits for both.
    tracedeckSending: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that it needs from this very parameter
      async ({}: object, use: (sending: Promise<void>[]) => Promise<void>) => {
        const sending: Promise<void>[] = [];
        await use(sending);
        await Promise.all(sending);
      },
      { scope: "test", box: true },
    ],
    // The order of these names is the one in which they are made.
    context: async (
      { tracedeckSending, context, tracedeck }: Needed,
      use: (context: BrowserContext) => Promise<void>,
      testInfo: TestInfo,
    ) => {
      const pageRecorder = __TRACEDECK_PAGE_RECORDER__;
      const given = { ...defaults, ...tracedeck };
      const pageCover = __TRACEDECK_PAGE_COVER__;
      const scripts = { pageRecorder, pageCover };
      const capture = await startCapture(context, testInfo, given, { env: process.env, ...scripts });
      await use(context);
      const send = await capture?.leave();
      if (send) tracedeckSending.push(send());
    },
  }) as T;
}
