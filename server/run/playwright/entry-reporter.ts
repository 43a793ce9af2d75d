import type { Reporter } from "@playwright/test/reporter";
import type { ReporterOptions } from "./options.ts";
import { createReporter } from "./reporter.ts";

/** What Playwright calls with `new`. */
export function TracedeckReporter(options: ReporterOptions = {}): Reporter {
  return createReporter(options, process.env);
}
