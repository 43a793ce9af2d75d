import { relative, sep } from "node:path";
import type { FullConfig, FullResult, TestCase, TestResult } from "@playwright/test/reporter";
import { type TestIdentity, testKeyOf } from "../../trace/format/test-name.ts";
import type { Expected, ReportedResult } from "../../trace/format/test-run.ts";

/** What the server takes of one text, in characters; it keeps less of errors. */
const LONGEST = { file: 1000, title: 10_000, name: 200, description: 10_000, error: 20_000 };

/** One attempt as the server takes it. */
export type Told = ReportedResult & { trace_id?: string };

export function identityOf(test: TestCase, rootDir: string): TestIdentity {
  const [, project = "", , ...titles] = test.titlePath();
  return { project, file: relative(rootDir, test.location.file).split(sep).join("/"), titles };
}

/** What an attempt is known by within a run. */
export const attemptKeyOf = (told: Told): string =>
  `${testKeyOf({ project: told.project, file: told.file, titles: told.title_path })} ${told.attempt}`;

/**
 * An attempt in the words of the API; without a result, a test that never began. Repetitions (`--repeat-each`) are
 * attempts of one test, since they are one test in every other run.
 */
export function tellResult(test: TestCase, result: TestResult | null, rootDir: string): Told {
  const { project, file, titles } = identityOf(test, rootDir);
  const first = test.repeatEachIndex * (test.retries + 1) + 1;
  return {
    file: plain(file, LONGEST.file) || "?",
    line: test.location.line,
    title_path: titles.slice(0, 100).map((title) => plain(title, LONGEST.title)),
    project: plain(project, LONGEST.name),
    tags: test.tags.slice(0, 100).map((tag) => plain(tag, LONGEST.name)),
    annotations: [...(result?.annotations ?? test.annotations)]
      .slice(0, 100)
      .map(({ type, description }) => ({
        type: plain(type, LONGEST.name),
        description: description === undefined ? null : plain(description, LONGEST.description),
      })),
    attempt: first + (result?.retry ?? 0),
    status: result ? statusOf(result.status) : "skipped",
    expected: expectedOf(test.expectedStatus),
    duration_ms: Math.max(0, Math.round(result?.duration ?? 0)),
    started_at: (result?.startTime ?? new Date(0)).toISOString(),
    error: errorOf(result),
  };
}

/** How Playwright's whole run ended; one that took too long has failed. */
export const statusOfRun = ({ status }: FullResult): "passed" | "failed" | "interrupted" =>
  status === "passed" || status === "interrupted" ? status : "failed";

export const shardOf = ({ shard }: FullConfig): { index: number; total: number } | null =>
  shard ? { index: shard.current, total: shard.total } : null;

const statusOf = (status: TestResult["status"]): Told["status"] =>
  status === "timedOut" ? "timed_out" : status;

const expectedOf = (status: TestCase["expectedStatus"]): Expected =>
  status === "failed" || status === "skipped" ? status : "passed";

function errorOf(result: TestResult | null): Told["error"] {
  const error = result?.errors.find(({ message, value }) => message !== undefined || value !== undefined);
  if (!error) return null;
  const message = plain(error.message ?? String(error.value), LONGEST.error);
  return { message, ...(error.stack !== undefined && { stack: plain(error.stack, LONGEST.error) }) };
}

/** What every server can keep: no NUL, no half characters, not too long. */
const plain = (text: string, longest: number): string =>
  text.replaceAll("\0", "\ufffd").slice(0, longest).toWellFormed();
