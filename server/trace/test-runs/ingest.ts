import { createCollector } from "../../../store/collector.ts";
import { hasTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, ERROR_STATUS, type ErrorCode } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { createKeyedLock } from "../../platform/keyed-lock.ts";
import { TaskError } from "../../platform/tasks.ts";
import { slugOf, testKeyOf, titleOf } from "../format/test-name.ts";
import { createIngestService, type IngestFile, type IngestService } from "../ingest/service.ts";
import { closeStaging, openStaging, type Staging } from "../ingest/staging.ts";
import { receiveUpload } from "../ingest/upload.ts";
import { beginTestRun } from "./begin.ts";
import { endTestRun } from "./end.ts";
import { type IngestedReport, MOST_RESULTS, type NewTestRun, type ResultBody } from "./model.ts";
import type { ReadReport, ReadReportInput } from "./read-report.ts";
import { REPORT_FORM, type ReportFrame, readReportFields } from "./report-fields.ts";
import { markOf, takeResults, type WholeReport } from "./results.ts";

const UNPACKED_PER_UPLOAD = 20;
const COLLECT_EVERY = 64 * 1024 * 1024;
const LONGEST = { file: 1000, title: 10_000, error: 20_000 };
/** A GitHub run, which all its shards have in common. */
const GITHUB_RUN = /^https:\/\/[^/]+\/[^/]+\/[^/]+\/actions\/runs\/(\d+)$/;

/** Makes runs from report files. One for the whole process. */
export interface ReportService {
  /** The multipart endpoint. @throws AppError */
  upload(actor: Actor, request: Request): Promise<IngestedReport>;
}

export function createReportService(deps: Deps): ReportService {
  const ingest = createIngestService(deps);
  const onBytes = createCollector(COLLECT_EVERY);
  const capBytes = deps.config.limits.uploadCapBytes;
  const lockByReport = createKeyedLock();

  async function read(staging: Staging, path: string, signal: AbortSignal): Promise<ReadReport> {
    const input: ReadReportInput = {
      path,
      folder: staging.trace,
      maxUnpackedBytes: capBytes * UNPACKED_PER_UPLOAD,
      now: deps.clock.now(),
    };
    try {
      return await deps.tasks.run<ReadReport>("test-runs.read", input, { signal });
    } catch (error) {
      if (error instanceof TaskError && error.kind !== null && error.kind in ERROR_STATUS)
        throw new AppError(error.kind as ErrorCode, error.message);
      throw error;
    }
  }

  return {
    async upload(actor, request) {
      const staging = await openStaging(deps);
      try {
        const { fields, file } = await receiveUpload(request, {
          path: staging.upload,
          form: REPORT_FORM,
          capBytes,
          alwaysHash: true,
          clock: deps.clock,
          onBytes,
        });
        const frame = readReportFields(fields);
        const key = `report:${file.sha256}`;
        // A client that gave up waiting and sends the report again would otherwise have it read twice at once.
        return await lockByReport(`${actor.orgId} ${key}`, async () => {
          const report = await read(staging, file.path, request.signal);
          return take({ deps, ingest, actor }, report, frame, key);
        });
      } finally {
        await closeStaging(deps.store, staging);
      }
    },
  };
}

interface Taking {
  deps: Deps;
  ingest: IngestService;
  actor: Actor;
}

/** @param key what stands for the CI's run where nobody names one: the same report again is the same run */
async function take(
  { deps, ingest, actor }: Taking,
  report: ReadReport,
  given: ReportFrame,
  key: string,
): Promise<IngestedReport> {
  const frame = frameOf(report, given);
  const run = await beginTestRun(deps, actor, frame, { key });
  const warnings = [...report.warnings];
  const results: ResultBody[] = [];
  let traces = 0;
  for (const { archive, ...result } of report.results) {
    const body = bounded(result);
    let traceId: string | null = null;
    if (archive !== null) {
      try {
        const file = { path: archive, ...placeOf(body, frame, run.id) };
        traceId = await traceOf({ deps, ingest, actor }, file, `${key} ${run.id} ${keyOf(body)}`);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        warnings.push(`The trace of ${body.title_path.at(-1)} was not taken: ${error.message}`);
      }
    }
    if (traceId !== null) traces += 1;
    results.push({ ...body, ...(traceId !== null && { trace_id: traceId }) });
  }
  const whole = wholeReport(results);
  for (let at = 0; at < results.length; at += MOST_RESULTS)
    await takeResults(deps, actor, run.id, results.slice(at, at + MOST_RESULTS), whole);
  await endTestRun(deps, actor, run.id, {
    status: report.status,
    ended_at: report.ended_at,
    ...(frame.shard && { shard: frame.shard }),
  });
  await commit(deps, (trx) =>
    auditAct(trx, actor, {
      at: deps.clock.now(),
      action: "test_run.ingest",
      target: run.id,
      detail: { tests: report.tests, traces },
    }),
  );
  return { test_run_id: run.id, short_id: run.short_id, tests: report.tests, traces, warnings };
}

/**
 * The trace of an attempt: the one that an earlier upload of the report brought, also where that upload ended before
 * its attempts were written, or a new one.
 */
async function traceOf({ deps, ingest, actor }: Taking, file: IngestFile, key: string): Promise<string> {
  for (let once = key; ; ) {
    const { trace_id } = await ingest.file(actor, { ...file, once });
    if (await hasTrace(deps.store.records, trace_id)) return trace_id;
    // It was removed since then; what comes in its place is another.
    once = `${key} ${trace_id}`;
  }
}

/**
 * What is given wins over what the report says, unless the report knows of more shards than were given: then some are
 * missing, and the run must not end without them. A shard that nothing joins to others is a run of its own.
 */
function frameOf(report: ReadReport, given: ReportFrame): NewTestRun {
  const github = report.ci_url === null ? null : GITHUB_RUN.exec(report.ci_url);
  const ci = given.ci ?? (github && { provider: "github", run_id: github[1]!, url: report.ci_url });
  const own = ci ? report.shard : null;
  const shard = given.shard && given.shard.total >= (own?.total ?? 0) ? given.shard : own;
  const isCommit = report.commit_sha !== null && /^[\x21-\x7e]{1,200}$/.test(report.commit_sha);
  return {
    ...(report.branch && { branch: report.branch.slice(0, 500) }),
    ...(isCommit && { commit_sha: report.commit_sha! }),
    started_at: report.started_at,
    ...given,
    ...(ci && { ci }),
    ...(shard && { shard }),
  };
}

/** Told with every part of the results. */
function wholeReport(results: readonly ResultBody[]): WholeReport {
  const whole = new Map<string, Set<string>>();
  for (const one of results) {
    const key = testOf(one);
    const marks = whole.get(key) ?? new Set<string>();
    whole.set(key, marks.add(markOf(one.attempt, Date.parse(one.started_at))));
  }
  return whole;
}

type Named = Pick<ResultBody, "project" | "file" | "title_path">;
const identityOf = ({ project, file, title_path }: Named) => ({ project, file, titles: title_path });
const testOf = (one: Named): string => testKeyOf(identityOf(one));
const keyOf = (one: Named & { attempt: number }): string => `${testOf(one)} ${one.attempt}`;

function placeOf(result: ResultBody, frame: NewTestRun, runId: string) {
  const identity = identityOf(result);
  return {
    scenarioSlug: slugOf(identity),
    scenarioTitle: titleOf(identity),
    source: frame.pr_number === undefined ? "manual" : "pr",
    commitSha: frame.commit_sha,
    prNumber: frame.pr_number,
    runId: frame.ci?.run_id.replace(/[^\x21-\x7e]/g, "-") ?? runId,
    attempt: result.attempt,
    env: {
      ...(result.project !== "" && { project: result.project }),
      file: `${result.file}:${result.line}`,
      ...(frame.ci?.url && { ci: frame.ci.url }),
    },
  };
}

/** A report is a file of its maker's: what is too long for a record is cut. */
function bounded(result: Omit<ReadReport["results"][number], "archive">): ResultBody {
  const { error } = result;
  const plain = (text: string, most: number) => text.replaceAll("\0", "\ufffd").slice(0, most);
  return {
    ...result,
    file: plain(result.file, LONGEST.file) || "?",
    title_path: result.title_path.map((title) => plain(title, LONGEST.title)),
    error: error && {
      message: plain(error.message, LONGEST.error),
      ...(error.stack !== undefined && { stack: plain(error.stack, LONGEST.error) }),
    },
  };
}
