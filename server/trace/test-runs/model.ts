import { type Static, Type } from "@sinclair/typebox";
import type { ListedTest, TracedAttempt } from "../../../store/records/test-run-tests.ts";
import type { ShardRow, TestRunRow } from "../../../store/records/test-runs.ts";
import { toIso } from "../../platform/clock.ts";
import { ATTEMPT_STATUSES, CHANGES, EXPECTED, OUTCOMES } from "../format/test-run.ts";
import { nullable, oneOf, time } from "../model.ts";
import { headlineOf } from "./headline.ts";

export const RUN_STATUSES = ["running", "passed", "failed", "interrupted"] as const;
export const END_STATUSES = ["passed", "failed", "interrupted"] as const;

const NO_NUL = "^[^\\u0000]*$";
const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: NO_NUL, ...(description && { description }) });
const anyText = (maxLength: number, description?: string) =>
  Type.String({ maxLength, pattern: NO_NUL, ...(description && { description }) });
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 }));
const cursor = (maxLength: number) =>
  Type.Optional(Type.String({ maxLength, description: "next_cursor of the page before." }));

export const ShardBody = Type.Object({
  index: Type.Integer({ minimum: 1, maximum: 10_000, description: "From 1." }),
  total: Type.Integer({ minimum: 1, maximum: 10_000 }),
});

export const CiBody = Type.Object({
  provider: text(100, "Such as `github`."),
  run_id: text(200, "What the CI calls its run: all shards send the same."),
  url: Type.Optional(Type.Union([anyText(2000, "http(s): where people look at the CI's run."), Type.Null()])),
});

/** What is known of a run beside its tests; form fields of a report have the same names. */
export const FRAME = {
  name: Type.Optional(text(200, "Tells runs of one CI run apart, and which runs are compared.")),
  ci: Type.Optional(CiBody),
  branch: Type.Optional(text(500)),
  commit_sha: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, pattern: "^[\\x21-\\x7e]+$", description: "No spaces." }),
  ),
  is_dirty: Type.Optional(Type.Boolean({ description: "Whether there were changes that no commit has." })),
  pr_number: Type.Optional(Type.Integer({ minimum: 1 })),
  shard: Type.Optional(ShardBody),
};

export const NewTestRun = Type.Object({ ...FRAME, started_at: Type.String({ maxLength: 40 }) });
export type NewTestRun = Static<typeof NewTestRun>;

export const BegunTestRun = Type.Object({
  id: Type.String({ format: "uuid" }),
  short_id: Type.String(),
  url: Type.String({ format: "uri", description: "The run's page." }),
});
export type BegunTestRun = Static<typeof BegunTestRun>;

export const MOST_RESULTS = 1000;

const ErrorBody = Type.Object({
  message: anyText(100_000),
  stack: Type.Optional(Type.Union([anyText(100_000), Type.Null()])),
});

export const ResultBody = Type.Object({
  file: text(1000, "Relative to the root of the tests, with forward slashes."),
  line: Type.Integer({ minimum: 0 }),
  title_path: Type.Array(anyText(10_000), { minItems: 1, maxItems: 100 }),
  project: anyText(200, "Empty when there are no projects."),
  tags: Type.Array(text(200), { maxItems: 100 }),
  annotations: Type.Array(
    Type.Object({
      type: anyText(200),
      description: Type.Optional(Type.Union([anyText(10_000), Type.Null()])),
    }),
    { maxItems: 100 },
  ),
  attempt: Type.Integer({ minimum: 1, maximum: 99_999, description: "From 1." }),
  status: oneOf(ATTEMPT_STATUSES),
  expected: oneOf(EXPECTED),
  duration_ms: Type.Integer({ minimum: 0 }),
  started_at: Type.String({ maxLength: 40, description: "ISO 8601." }),
  error: Type.Union([ErrorBody, Type.Null()]),
  trace_id: Type.Optional(Type.String({ format: "uuid" })),
});
export type ResultBody = Static<typeof ResultBody>;

export const ResultsBody = Type.Object({
  results: Type.Array(ResultBody, { maxItems: MOST_RESULTS, description: "One attempt each." }),
});
export const ResultsAnswer = Type.Object({ accepted: Type.Integer({ description: "Attempts." }) });

export const EndBody = Type.Object({
  shard: Type.Optional(ShardBody),
  status: oneOf(END_STATUSES),
  ended_at: Type.String({ maxLength: 40, description: "ISO 8601." }),
});
export type EndBody = Static<typeof EndBody>;

export const TestRun = Type.Object({
  id: Type.String({ format: "uuid" }),
  short_id: Type.String(),
  name: nullable(Type.String()),
  ci: Type.Union([
    Type.Object({ provider: Type.String(), run_id: Type.String(), url: nullable(Type.String()) }),
    Type.Null(),
  ]),
  branch: nullable(Type.String()),
  commit_sha: nullable(Type.String()),
  is_dirty: Type.Boolean(),
  pr_number: nullable(Type.Integer()),
  status: oneOf(RUN_STATUSES),
  started_at: time("When the first of its shards began."),
  ended_at: nullable(time("When the last of its shards ended.")),
  duration_ms: Type.Integer({ description: "0 until the run ends." }),
  totals: Type.Object({
    passed: Type.Integer(),
    failed: Type.Integer(),
    flaky: Type.Integer(),
    skipped: Type.Integer(),
    not_run: Type.Integer(),
  }),
  shards: Type.Array(
    Type.Object({ index: Type.Integer(), total: Type.Integer(), status: oneOf(RUN_STATUSES) }),
  ),
  previous_id: nullable(
    Type.String({ description: "The newest earlier ended run of the same name and branch." }),
  ),
});
export type TestRun = Static<typeof TestRun>;

export const TestRunList = Type.Object({
  items: Type.Array(TestRun),
  next_cursor: nullable(Type.String()),
});
export type TestRunList = Static<typeof TestRunList>;

export const TestRunListQuery = Type.Object({
  branch: Type.Optional(Type.String({ maxLength: 500 })),
  commit: Type.Optional(
    Type.String({ minLength: 3, maxLength: 200, description: "A commit, or the beginning of one." }),
  ),
  pr: Type.Optional(Type.Integer({ minimum: 0, description: "Number of a pull request." })),
  status: Type.Optional(oneOf(RUN_STATUSES)),
  limit,
  cursor: cursor(200),
});
export type TestRunListQuery = Static<typeof TestRunListQuery>;

export const TestListQuery = Type.Object({
  outcome: Type.Optional(oneOf(OUTCOMES)),
  file: Type.Optional(Type.String({ maxLength: 1000 })),
  project: Type.Optional(Type.String({ maxLength: 200 })),
  tag: Type.Optional(Type.String({ maxLength: 200, description: "With or without its `@`." })),
  change: Type.Optional(oneOf(CHANGES)),
  q: Type.Optional(
    Type.String({ maxLength: 1000, description: "Words that file, titles and project together must have." }),
  ),
  limit,
  cursor: cursor(4000),
});
export type TestListQuery = Static<typeof TestListQuery>;

const TestError = Type.Union([
  Type.Object({ message: Type.String(), stack: Type.Optional(Type.String()) }),
  Type.Null(),
]);

export const TestOfRun = Type.Object({
  id: Type.String({ description: "Of the test: the same in every run." }),
  file: Type.String(),
  line: Type.Integer(),
  title_path: Type.Array(Type.String()),
  project: Type.String(),
  tags: Type.Array(Type.String()),
  annotations: Type.Array(Type.Object({ type: Type.String(), description: nullable(Type.String()) })),
  outcome: oneOf(OUTCOMES),
  expected: oneOf(EXPECTED),
  duration_ms: Type.Integer({ description: "Of all its attempts." }),
  attempts: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      status: oneOf(ATTEMPT_STATUSES),
      duration_ms: Type.Integer(),
      trace_id: nullable(Type.String({ format: "uuid" })),
      error: TestError,
    }),
  ),
  change: Type.Union([oneOf(CHANGES), Type.Null()], {
    description: "Against `previous_id`; null without one, and where nothing changed for better or worse.",
  }),
  headline: nullable(Type.String({ description: "Why it failed, in one line." })),
});
export type TestOfRun = Static<typeof TestOfRun>;

export const TestList = Type.Object({
  items: Type.Array(TestOfRun),
  next_cursor: nullable(Type.String()),
});
export type TestList = Static<typeof TestList>;

export const CauseList = Type.Object({
  items: Type.Array(
    Type.Object({
      signature: nullable(
        Type.String({ description: "Null for tests that say nothing of why they failed." }),
      ),
      headline: nullable(Type.String()),
      count: Type.Integer({ description: "Failed tests." }),
      new_count: Type.Integer({ description: "Of them those that are new against the run before." }),
      test_ids: Type.Array(Type.String(), { description: "Those tests, 100 at most." }),
    }),
  ),
});
export type CauseList = Static<typeof CauseList>;

export const IngestedReport = Type.Object({
  test_run_id: Type.String({ format: "uuid" }),
  short_id: Type.String(),
  tests: Type.Integer({ description: "Tests of the report." }),
  traces: Type.Integer({ description: "Traces that came with it." }),
  warnings: Type.Array(Type.String()),
});
export type IngestedReport = Static<typeof IngestedReport>;

/** A run as the API tells it. */
export function toTestRun(row: TestRunRow, shards: readonly ShardRow[], previousId: string | null): TestRun {
  const { passed, failed, flaky, skipped, not_run } = row;
  return {
    id: row.id,
    short_id: row.short_id,
    name: row.name,
    ci:
      row.ci_run_id === null
        ? null
        : { provider: row.ci_provider ?? "", run_id: row.ci_run_id, url: row.ci_url },
    branch: row.branch,
    commit_sha: row.commit_sha,
    is_dirty: row.is_dirty === 1,
    pr_number: row.pr_number,
    status: row.status,
    started_at: toIso(row.started_at),
    ended_at: row.ended_at === null ? null : toIso(row.ended_at),
    duration_ms: row.ended_at === null ? 0 : row.ended_at - row.started_at,
    totals: { passed, failed, flaky, skipped, not_run },
    shards: shards.map(({ shard_index: index, shard_total: total, status }) => ({ index, total, status })),
    previous_id: previousId,
  };
}

/** A test as the API tells it. */
export function toTestOfRun(row: ListedTest, attempts: readonly TracedAttempt[]): TestOfRun {
  return {
    id: row.test_key,
    file: row.file,
    line: row.line,
    title_path: JSON.parse(row.title_path) as string[],
    project: row.project,
    tags: JSON.parse(row.tags) as string[],
    annotations: JSON.parse(row.annotations) as TestOfRun["annotations"],
    outcome: row.outcome,
    expected: row.expected,
    duration_ms: row.duration_ms,
    attempts: attempts.map((one) => ({
      attempt: one.attempt,
      status: one.status,
      duration_ms: one.duration_ms,
      trace_id: one.trace_id,
      error:
        one.error_message === null
          ? null
          : { message: one.error_message, ...(one.error_stack !== null && { stack: one.error_stack }) },
    })),
    change: row.change,
    headline: headlineOf(row, attempts),
  };
}
