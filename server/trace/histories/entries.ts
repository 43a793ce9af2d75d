import { headlinesOf } from "../../../store/records/causes.ts";
import { type PastTrace, pastTracesById } from "../../../store/records/histories.ts";
import {
  type AttemptRow,
  attemptsOfVerdicts,
  type TestVerdict,
  testVerdicts,
  tracesOfTestRuns,
} from "../../../store/records/test-run-tests.ts";
import type { Deps } from "../../deps.ts";
import { toIso } from "../../platform/clock.ts";
import { type BareEntry, type HistoryEntry, toHistoryItem } from "./model.ts";

const MESSAGE_LENGTH = 500;

/**
 * What became of a scenario, newest first: one entry for each test run it stood in, with its outcome, whether it left a
 * trace or not, and one for each trace that belongs to no test run.
 * @param traces the newest of the scenario, newest first
 */
export async function entriesOf(
  { store: { records } }: Pick<Deps, "store">,
  scenario: { orgId: string; scenarioId: string },
  traces: readonly PastTrace[],
  options: { limit: number; until?: number | undefined },
): Promise<BareEntry[]> {
  const [tests, told] = await Promise.all([
    testVerdicts(records, scenario, options),
    tracesOfTestRuns(
      records,
      traces.map(({ id }) => id),
    ),
  ]);
  const byTest = Map.groupBy(await attemptsOfVerdicts(records, tests), keyOf);
  const known = new Map(traces.map((trace) => [trace.id, trace]));
  const wanted = [...byTest.values()].flat().flatMap(({ trace_id }) => (trace_id === null ? [] : [trace_id]));
  for (const trace of await pastTracesById(
    records,
    wanted.filter((id) => !known.has(id)),
  ))
    known.set(trace.id, trace);
  const alone = traces
    .filter(({ id }) => !told.has(id))
    .map((trace): Timed => ({ at: trace.created_at, ord: trace.ord, entry: ofTrace(trace) }));
  const ofRuns = tests.map((test): Timed => {
    const entry = ofTest(test, byTest.get(keyOf(test)) ?? [], known);
    const trace = entry.trace_id === null ? undefined : known.get(entry.trace_id);
    return { at: test.started_at, ord: trace?.ord ?? Number.MAX_SAFE_INTEGER, entry };
  });
  return [...alone, ...ofRuns]
    .sort((a, b) => b.at - a.at || b.ord - a.ord)
    .slice(0, options.limit)
    .map(({ entry }) => entry);
}

/** Entries with the causes of their traces. At most a page of them at once. */
export async function withHeadlines(
  { store: { records } }: Pick<Deps, "store">,
  entries: readonly BareEntry[],
): Promise<HistoryEntry[]> {
  const failed = entries.flatMap(({ status, trace_id }) =>
    trace_id === null || status === "passed" ? [] : [trace_id],
  );
  const headlines = await headlinesOf(records, failed);
  return entries.map((entry) => ({ ...entry, headline: headlines.get(entry.trace_id ?? "") ?? null }));
}

interface Timed {
  at: number;
  /** Of two of the same millisecond, which is the newer: the place of its trace. */
  ord: number;
  entry: BareEntry;
}

const keyOf = ({ test_run_id, test_key }: { test_run_id: string; test_key: string }) =>
  `${test_run_id} ${test_key}`;

const ofTrace = (trace: PastTrace): BareEntry => ({
  ...toHistoryItem(trace),
  trace_id: trace.id,
  test_run_id: null,
});

function ofTest(
  test: TestVerdict,
  attempts: readonly AttemptRow[],
  known: ReadonlyMap<string, PastTrace>,
): BareEntry {
  const traced = attempts.filter(({ trace_id }) => trace_id !== null && known.has(trace_id));
  const isMiss = ({ status, expected }: AttemptRow) => status !== expected && status !== "skipped";
  const told = (test.outcome === "passed" ? undefined : traced.findLast(isMiss)) ?? traced.at(-1);
  const trace = told && known.get(told.trace_id!);
  const error = test.outcome === "failed" ? attempts.findLast(isMiss) : undefined;
  return {
    id: trace?.id ?? test.test_run_id,
    short_id: trace?.short_id ?? test.short_id,
    status: test.outcome,
    created_at: toIso(test.started_at),
    duration_ms: test.duration_ms,
    code_sha: test.commit_sha ?? trace?.code_sha ?? null,
    source: trace?.source ?? null,
    pr_number: test.pr_number ?? trace?.pr_number ?? null,
    run_id: trace?.run_id ?? null,
    attempt: null,
    failure_signature: error ? (trace?.failure_signature ?? error.error_signature) : null,
    failure_message: error
      ? (trace?.failure_message ?? error.error_message?.slice(0, MESSAGE_LENGTH) ?? null)
      : null,
    trace_id: trace?.id ?? null,
    test_run_id: test.test_run_id,
  };
}
