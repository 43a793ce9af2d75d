import { toIso } from "../../../platform/clock.ts";
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
  textOf,
} from "./common.ts";

/** An attempt of a blob report, and the member of the archive that is its trace. */
export type BlobResult = ReportedResult & { trace: string | null };

interface Test {
  project: string;
  file: string;
  line: number;
  titles: string[];
  tags: string[];
  annotations: unknown;
  expected: unknown;
  /** Of its first attempt; repetitions of a test are further attempts. */
  first: number;
  hasRun: boolean;
}

interface Attempt {
  test: Test;
  retry: number;
  startedAt: number;
  end: Record<string, unknown> | null;
  trace: string | null;
}

type Json = Record<string, unknown>;

/** The first line of a blob report. */
export const isBlobStart = (line: string): boolean => line.includes('"onBlobReportMetadata"');

/**
 * Reads the events of a Playwright blob report (`report.jsonl`), one after the other: versions 1 and 2, as Playwright
 * writes them since 1.37.
 */
export function createBlobReader() {
  const tests = new Map<string, Test>();
  const attempts = new Map<string, Attempt>();
  const order: Attempt[] = [];
  let separator = "/";
  let shard: ReportedRun["shard"] = null;
  let metadata: Json = {};
  let end: Json | null = null;
  let earliest = Number.POSITIVE_INFINITY;
  let hasBegun = false;

  const takers: Record<string, (params: Json) => void> = {
    onBlobReportMetadata({ version, pathSeparator, shard: part }) {
      if (typeof version === "number" && version > 2)
        throw new ReportError(`has the version ${version}; this program reads up to 2: update tracedeck.`);
      separator = textOf(pathSeparator) ?? "/";
      shard = shardOf(part);
      hasBegun = true;
    },
    onConfigure({ config }) {
      const { metadata: told, shard: part } = (config ?? {}) as Json;
      metadata = (told ?? {}) as Json;
      // Some releases of Playwright say it only here, others only in the metadata.
      shard = shardOf(part) ?? shard;
    },
    onProject({ project }) {
      const { name, suites, retries } = project as { name?: string; suites?: Json[]; retries?: number };
      for (const suite of suites ?? []) takeSuite(suite, name ?? "", [], retries ?? 0);
    },
    onTestBegin({ testId, result }) {
      const test = tests.get(String(testId));
      const { id, retry, startTime } = result as Json;
      if (!test) return;
      test.hasRun = true;
      const startedAt = millisecondsOf(startTime);
      earliest = Math.min(earliest, startedAt);
      const attempt = { test, retry: millisecondsOf(retry), startedAt, end: null, trace: null };
      checkCount(tests.size + order.length + 1);
      attempts.set(String(id), attempt);
      order.push(attempt);
    },
    onAttach({ resultId, attachments: attached }) {
      attach(attempts.get(String(resultId)), attached);
    },
    onTestEnd({ test: told, result }) {
      const { expectedStatus, annotations } = told as Json;
      const given = result as Json;
      const attempt = attempts.get(String(given.id));
      if (!attempt) return;
      attempt.test.expected = expectedStatus;
      if (Array.isArray(annotations) && annotations.length > 0) attempt.test.annotations = annotations;
      attempt.end = given;
      // Before Playwright 1.55 they stood here.
      attach(attempt, given.attachments);
    },
    onEnd({ result }) {
      end = result as Json;
    },
  };

  function takeSuite(suite: Json, project: string, titles: string[], retries: number): void {
    for (const entry of (suite.entries ?? []) as Json[]) {
      if (typeof entry.testId !== "string") {
        takeSuite(
          entry,
          project,
          [...titles, String(entry.title ?? "")].filter((title) => title !== ""),
          retries,
        );
        continue;
      }
      checkCount(tests.size + order.length + 1);
      const { file, line } = (entry.location ?? {}) as { file?: string; line?: number };
      const own = typeof entry.retries === "number" ? entry.retries : retries;
      tests.set(entry.testId, {
        project,
        file: String(file ?? "?")
          .split(separator)
          .join("/"),
        line: millisecondsOf(line),
        titles: [...titles, String(entry.title ?? "")],
        tags: ((entry.tags ?? []) as unknown[]).filter((tag) => typeof tag === "string"),
        annotations: entry.annotations,
        expected: "passed",
        first: millisecondsOf(entry.repeatEachIndex) * (own + 1) + 1,
        hasRun: false,
      });
    }
  }

  function resultOf(attempt: Attempt): BlobResult {
    const { test, end: told } = attempt;
    const errors = told?.errors ?? (told?.error === undefined ? [] : [told.error]);
    return {
      ...frameOf(test),
      annotations: annotationsOf(told?.annotations ?? test.annotations),
      attempt: test.first + attempt.retry,
      status: statusOf(told?.status),
      expected: expectedOf(test.expected),
      duration_ms: millisecondsOf(told?.duration),
      started_at: toIso(attempt.startedAt),
      error: errorOf(errors as unknown[]),
      trace: attempt.trace,
    };
  }

  return {
    /** @throws ReportError, or a TypeError where an event is not as Playwright writes it */
    take(event: unknown): void {
      const { method, params } = event as { method?: unknown; params?: unknown };
      if (typeof method === "string") takers[method]?.((params ?? {}) as Json);
    },
    /** @throws ReportError when there was no report */
    finish(now: number): ReportedRun & { results: BlobResult[] } {
      if (!hasBegun) throw new ReportError("has no events of a blob report.");
      const ended = end ?? {};
      const began = Number.isFinite(earliest) ? earliest : now;
      const started = millisecondsOf(ended.startTime) || began;
      const idle = [...tests.values()].filter(({ hasRun }) => !hasRun);
      const ci = (metadata.ci ?? {}) as Json;
      const git = (metadata.gitCommit ?? {}) as Json;
      const status =
        ended.status === "passed" ? "passed" : ended.status === "interrupted" ? "interrupted" : "failed";
      return {
        results: numberApart([...order.map(resultOf), ...idle.map((test) => notRun(test, started))]),
        started_at: toIso(started),
        ended_at: toIso(started + millisecondsOf(ended.duration)),
        status: end ? status : "interrupted",
        shard,
        branch: textOf(ci.branch) ?? branchOf(git),
        commit_sha: textOf(ci.commitHash) ?? textOf(git.hash),
        ci_url: textOf(ci.buildHref),
        warnings: end ? [] : ["The report has no end: the run was cut off."],
      };
    },
  };
}

function attach(attempt: Attempt | undefined, attachments: unknown): void {
  if (!attempt || !Array.isArray(attachments)) return;
  for (const { name, path } of attachments as { name?: unknown; path?: unknown }[])
    if (name === "trace" && typeof path === "string") attempt.trace = path.replaceAll("\\", "/");
}

const frameOf = ({ project, file, line, titles, tags }: Test) => ({
  project,
  file,
  line,
  title_path: titles,
  tags,
});

const notRun = (test: Test, at: number): BlobResult => ({
  ...frameOf(test),
  annotations: annotationsOf(test.annotations),
  attempt: test.first,
  status: "skipped",
  expected: expectedOf(test.expected),
  duration_ms: 0,
  started_at: toIso(at),
  error: null,
  trace: null,
});

/** The place of a report among the shards of its run; null when it says none, or one that cannot be. */
function shardOf(part: unknown): ReportedRun["shard"] {
  const { current, total } = (part ?? {}) as { current?: number; total?: number };
  const isPlace = Number.isSafeInteger(current) && Number.isSafeInteger(total);
  return isPlace && current! >= 1 && current! <= total! ? { index: current!, total: total! } : null;
}

/** A checkout without a branch is called HEAD. */
const branchOf = ({ branch }: Json): string | null => (branch === "HEAD" ? null : textOf(branch));
