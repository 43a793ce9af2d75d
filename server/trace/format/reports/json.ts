import { fromIso, toIso } from "../../../platform/clock.ts";
import type { ReportedResult, ReportedRun } from "../test-run.ts";
import {
  annotationsOf,
  checkCount,
  errorOf,
  expectedOf,
  millisecondsOf,
  numberApart,
  ReportError,
  statusOf,
  statusOfTests,
  textOf,
} from "./common.ts";

type Json = Record<string, unknown>;

/** Reads what Playwright's `--reporter=json` wrote. @param now epoch ms, where the report names no time. @throws ReportError */
export function readJsonReport(document: unknown, now: number): ReportedRun {
  const { config, suites, errors, stats } = (document ?? {}) as Json;
  if (!Array.isArray(suites) || typeof config !== "object" || config === null)
    throw new ReportError("is JSON, but not of Playwright's JSON reporter: it has no `suites` and `config`.");
  const { startTime, duration } = (stats ?? {}) as Json;
  const started = fromIso(String(startTime)) ?? now;
  const results: ReportedResult[] = [];
  for (const suite of suites as Json[]) takeSuite(suite, [], started, results);
  const { metadata, shard } = config as { metadata?: Json; shard?: { current: number; total: number } };
  const ci = (metadata?.ci ?? {}) as Json;
  const git = (metadata?.gitCommit ?? {}) as Json;
  const hasErrors = Array.isArray(errors) && errors.length > 0;
  return {
    results: numberApart(results),
    started_at: toIso(started),
    ended_at: toIso(started + millisecondsOf(duration)),
    status: hasErrors ? "failed" : statusOfTests(results),
    shard: shard ? { index: shard.current, total: shard.total } : null,
    branch: textOf(ci.branch) ?? (git.branch === "HEAD" ? null : textOf(git.branch)),
    commit_sha: textOf(ci.commitHash) ?? textOf(git.hash),
    ci_url: textOf(ci.buildHref),
    warnings: [],
  };
}

/** The outermost suites are files, whose title is their path. */
function takeSuite(suite: Json, titles: string[], started: number, results: ReportedResult[]): void {
  for (const inner of (suite.suites ?? []) as Json[])
    takeSuite(
      inner,
      [...titles, String(inner.title ?? "")].filter((title) => title !== ""),
      started,
      results,
    );
  for (const spec of (suite.specs ?? []) as Json[])
    for (const test of (spec.tests ?? []) as Json[]) takeTest(spec, test, titles, started, results);
}

function takeTest(
  spec: Json,
  test: Json,
  titles: string[],
  started: number,
  results: ReportedResult[],
): void {
  const frame = {
    file: String(spec.file ?? "?").replaceAll("\\", "/"),
    line: millisecondsOf(spec.line),
    title_path: [...titles, String(spec.title ?? "")],
    project: textOf(test.projectName) ?? "",
    tags: ((spec.tags ?? []) as unknown[]).filter((tag) => typeof tag === "string"),
    annotations: annotationsOf(test.annotations),
    expected: expectedOf(test.expectedStatus),
  };
  const told = (test.results ?? []) as Json[];
  checkCount(results.length + Math.max(1, told.length));
  if (told.length === 0)
    results.push({
      ...frame,
      attempt: 1,
      status: "skipped",
      duration_ms: 0,
      started_at: toIso(started),
      error: null,
    });
  for (const [at, result] of told.entries())
    results.push({
      ...frame,
      attempt: (typeof result.retry === "number" ? result.retry : at) + 1,
      status: statusOf(result.status),
      duration_ms: millisecondsOf(result.duration),
      started_at: toIso(fromIso(String(result.startTime)) ?? started),
      error: errorOf([result.error, ...((result.errors ?? []) as unknown[])]),
    });
}
