import type { Month, PlannedResult, PlannedSuite } from "../../../fixtures/month/plan.ts";
import { findTrace } from "../../../store/records/traces.ts";
import { toIso } from "../../platform/clock.ts";
import { beginTestRun } from "../../trace/test-runs/begin.ts";
import { endTestRun } from "../../trace/test-runs/end.ts";
import type { ResultBody } from "../../trace/test-runs/model.ts";
import { takeResults } from "../../trace/test-runs/results.ts";
import { depsAt, sampler } from "./moment.ts";
import type { Maker } from "./month.ts";

const UNTRACED_MS = 40;

/** Sends the month's runs of the suite, as the reporter does. */
export async function makeSuites(
  maker: Maker,
  suites: Month["suites"],
  traces: Map<string, string>,
): Promise<void> {
  for (const suite of suites) if (!maker.signal.aborted) await makeSuite(maker, suite, traces);
}

async function makeSuite(maker: Maker, suite: PlannedSuite, traces: Map<string, string>): Promise<void> {
  const { name, ciRun, branch, commit, pr, startedAt, shards, isCutOff, results } = suite;
  const actor = sampler(maker.orgId);
  const deps = depsAt(maker.deps, startedAt, `${maker.seed} suite ${ciRun}`);
  let id = "";
  for (const index of shards.keys()) {
    const frame = {
      ...{ name, branch, commit_sha: commit.sha, started_at: toIso(startedAt) },
      ci: { provider: "github", run_id: ciRun, url: `https://github.com/morning/shop/actions/runs/${ciRun}` },
      shard: { index: index + 1, total: shards.length },
      ...(pr !== null && { pr_number: pr }),
    };
    id = (await beginTestRun(deps, actor, frame)).id;
  }
  const bodies: ResultBody[] = [];
  for (const result of results) {
    if (isCutOff && shards[result.shard - 1] === null) continue;
    const body = await toBody(maker, result, suite, traces);
    if (body) bodies.push(body);
  }
  await takeResults(deps, actor, id, bodies);
  for (const [index, took] of shards.entries()) {
    if (took === null && !isCutOff) continue;
    const own = results.filter(({ shard }) => shard === index + 1);
    const lost = own.some(
      (one) => one.status !== one.expected && !isRetried(one, own) && one.status === "failed",
    );
    const endedAt = startedAt + (took ?? Math.max(...shards.map((each) => each ?? 0)));
    await endTestRun(depsAt(maker.deps, endedAt, `${maker.seed} end ${ciRun} ${index}`), actor, id, {
      shard: { index: index + 1, total: shards.length },
      status: took === null ? "interrupted" : lost ? "failed" : "passed",
      ended_at: toIso(endedAt),
    });
  }
}

const isRetried = (one: PlannedResult, all: readonly PlannedResult[]): boolean =>
  all.some(({ at, attempt, status }) => at === one.at && attempt > one.attempt && status === "passed");

async function toBody(
  { deps }: Maker,
  { at, attempt, expected, annotation, trace: key, status }: PlannedResult,
  { startedAt }: PlannedSuite,
  traces: Map<string, string>,
): Promise<ResultBody | null> {
  const { file, line, titles, tags } = at;
  const told = {
    ...{ file, line, title_path: titles, project: "chromium", tags, attempt, status, expected },
    annotations: annotation ? [annotation] : [],
  };
  if (key === null)
    return {
      ...told,
      duration_ms: status === "skipped" ? 0 : UNTRACED_MS,
      started_at: toIso(startedAt),
      error: status === "failed" ? { message: "Error: the export is not UTF-8" } : null,
    };
  const trace = await findTrace(deps.store.records, traces.get(key) ?? "");
  if (!trace) return null;
  return {
    ...told,
    duration_ms: trace.duration_ms ?? 0,
    started_at: toIso(trace.started_at ?? startedAt),
    error: trace.failure_message === null ? null : { message: trace.failure_message },
    trace_id: trace.id,
  };
}
