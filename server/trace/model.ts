import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { TraceStatus } from "../../store/records/schema.ts";
import type { ScenarioTest } from "../../store/records/test-run-tests.ts";
import type { ListedTrace } from "../../store/records/trace-list.ts";
import type { TraceRow } from "../../store/records/traces.ts";
import { toIso } from "../platform/clock.ts";

export const nullable = <Schema extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()]);
/** JSON Schema's `enum`, which TypeBox alone would not check. Its default goes: it would fill in what was left out. */
export function oneOf<const Value extends string>(values: readonly [Value, ...Value[]]) {
  const { default: _first, ...schema } = t.UnionEnum(values);
  return schema as Omit<typeof schema, "default"> as ReturnType<
    typeof t.UnionEnum<readonly [Value, ...Value[]]>
  >;
}
export const time = (description: string) => Type.String({ format: "date-time", description });

export const STATUSES = ["queued", "running", "passed", "failed", "error", "aborted"] as const;
export const SOURCES = ["pr", "schedule", "manual", "shadow_diff"] as const;
export const TIERS = ["hot", "warm", "cold"] as const;
export const VISIBILITIES = ["org-only", "public-read"] as const;

const amount = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

const FALSE_OR_TRUE = ["true", "false", "1", "0"] as const;

const FILTERS = {
  scenario_id: Type.Optional(Type.String({ format: "uuid" })),
  scenario: Type.Optional(Type.String({ maxLength: 64, description: "Slug of a scenario." })),
  status: Type.Optional(oneOf(STATUSES)),
  source: Type.Optional(oneOf(SOURCES)),
  signature: Type.Optional(Type.String({ maxLength: 200, description: "Exact failure_signature." })),
  tier: Type.Optional(oneOf(TIERS)),
  pinned: Type.Optional(oneOf(FALSE_OR_TRUE)),
  not_status: Type.Optional(oneOf(STATUSES)),
  not_source: Type.Optional(oneOf(SOURCES)),
  not_tier: Type.Optional(oneOf(TIERS)),
  pr: Type.Optional(Type.Integer({ minimum: 0, description: "Number of a pull request." })),
  code_sha: Type.Optional(
    Type.String({ minLength: 3, maxLength: 100, description: "A commit, or the beginning of one." }),
  ),
  region: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Exact, in either case." })),
  step: Type.Optional(
    Type.String({ maxLength: 1000, description: "Words in the titles of its steps, written as in q." }),
  ),
  kind: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: "^[^*,]+\\*?$",
      description: "A kind of event that it has, or a beginning that ends in *: network.*",
    }),
  ),
  min_duration_ms: amount("Took at least this long."),
  max_duration_ms: amount("Took at most this long."),
  min_size: amount("Keeps at least so many bytes."),
  max_size: amount("Keeps at most so many bytes."),
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Words that must all appear, "a phrase", and word* for a beginning: in scenario title, failure message, console errors, request URLs, assertion messages, agent thoughts, titles of steps.',
    }),
  ),
  from: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601; created at or after." })),
  to: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601; created before." })),
};

export const TraceFilterQuery = Type.Object(FILTERS);
export type TraceFilterQuery = Static<typeof TraceFilterQuery>;

export const TraceListQuery = Type.Object({
  ...FILTERS,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "next_cursor of the page before." })),
});
export type TraceListQuery = Static<typeof TraceListQuery>;

export const TestRef = Type.Object(
  {
    file: Type.String({ description: "Relative to the root of the tests." }),
    line: Type.Integer(),
    project: Type.String({ description: "Empty where the tests have no projects." }),
    title_path: Type.Array(Type.String()),
  },
  { description: "The test that the scenario is, as it last ran in a test run." },
);
export type TestRef = Static<typeof TestRef>;

/** A scenario's test; null for one that is none. */
export const toTestRef = (row: ScenarioTest | undefined): TestRef | null =>
  row
    ? {
        file: row.file,
        line: row.line,
        project: row.project,
        title_path: JSON.parse(row.title_path) as string[],
      }
    : null;

export const Headline = nullable(
  Type.String({ description: "The cause in one sentence, as /cause tells it; null where none was found." }),
);

const ITEM = {
  id: Type.String({ format: "uuid" }),
  short_id: Type.String(),
  scenario_id: Type.String({ format: "uuid" }),
  scenario_slug: Type.String(),
  scenario_title: Type.String(),
  status: oneOf(STATUSES),
  tier: oneOf(TIERS),
  pinned: Type.Boolean(),
  source: Type.Union([oneOf(SOURCES), Type.Null()]),
  duration_ms: Type.Integer({ description: "0 until the trace ends." }),
  code_sha: nullable(Type.String()),
  failure_signature: nullable(Type.String()),
  failure_message: nullable(Type.String()),
  headline: Headline,
  test: Type.Union([TestRef, Type.Null()], { description: "Null for what is no test of a test run." }),
  final_screenshot: nullable(Type.String({ description: "sha256:<hex>" })),
  event_count: Type.Integer(),
  error_count: Type.Integer(),
  total_size_bytes: Type.Integer(),
  share_visibility: Type.Union([oneOf(VISIBILITIES), Type.Null()]),
  created_at: time("When the trace was made or uploaded."),
};

export const TraceItem = Type.Object(ITEM);
export type TraceItem = Static<typeof TraceItem>;

export const TraceList = Type.Object({
  items: Type.Array(TraceItem),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

const url = Type.Optional(Type.String({ format: "uri" }));

export const TraceDetail = Type.Object({
  ...ITEM,
  s3_prefix: Type.String({ description: "Prefix of the trace's files in the store." }),
  signed_urls: Type.Object(
    { ndjson: url, video: url, playwright: url, rrweb: url, summary: url, report: url },
    { description: "Of the files that exist; each expires." },
  ),
  parent_trace_id: nullable(Type.String()),
  replay_from_step: nullable(Type.Integer()),
  blob_count: Type.Integer(),
  status_reason: nullable(Type.String()),
  pr_number: nullable(Type.Integer()),
  region: nullable(Type.String()),
  run_id: nullable(Type.String()),
  attempt: nullable(Type.Integer({ description: "Which try of its run it is, from 1, where it was said." })),
  started_at: nullable(time("First moment of the recording.")),
  ended_at: nullable(time("Last moment of the recording.")),
  failed_step_id: nullable(Type.String()),
  share_expires_at: nullable(time("When the share link ends.")),
  warnings: Type.Array(Type.String()),
  restore_error: nullable(Type.String()),
  restoring: Type.Boolean(),
  expires_at: nullable(
    time("When the trace moves to the next tier or, made by a check, goes for good; null when it stays."),
  ),
  playwright_viewer_url: Type.Optional(Type.String({ format: "uri" })),
});
export type TraceDetail = Static<typeof TraceDetail>;

export const TraceFacets = Type.Object({
  status: Type.Record(Type.String(), Type.Integer()),
  source: Type.Record(Type.String(), Type.Integer()),
  tier: Type.Record(Type.String(), Type.Integer()),
  pinned: Type.Integer(),
  scenarios: Type.Array(
    Type.Object({ id: Type.String(), slug: Type.String(), title: Type.String(), count: Type.Integer() }),
  ),
  signatures: Type.Array(
    Type.Object({
      signature: Type.String(),
      message: nullable(Type.String()),
      count: Type.Integer(),
      last_at: time("When the newest trace with it was made."),
    }),
  ),
  partial: Type.Array(oneOf(["status", "source", "tier", "pinned", "scenarios", "signatures"]), {
    description: "What is counted among the newest 2,000 traces only, since more match.",
  }),
});

export const PinAnswer = Type.Object({ pinned: Type.Boolean() });

/** A row of the list. A share that has ended is none. `headline`: of its cause; `test`: of its scenario. */
export function toTraceItem(
  row: ListedTrace,
  now: number,
  { headline, test }: { headline: string | null; test: TestRef | null } = { headline: null, test: null },
): TraceItem {
  return {
    id: row.id,
    short_id: row.short_id,
    scenario_id: row.scenario_id,
    scenario_slug: row.scenario_slug,
    scenario_title: row.scenario_title,
    status: row.status,
    tier: row.tier,
    pinned: row.pinned === 1,
    source: row.source,
    duration_ms: row.duration_ms,
    code_sha: row.code_sha,
    failure_signature: row.failure_signature,
    failure_message: row.failure_message,
    headline,
    test,
    final_screenshot: row.final_screenshot === null ? null : `sha256:${row.final_screenshot}`,
    event_count: row.event_count,
    error_count: row.error_count,
    total_size_bytes: row.total_size_bytes,
    share_visibility: isShared(row, now) ? row.share_visibility : null,
    created_at: toIso(row.created_at),
  };
}

/** Everything about one trace that is no link to a file. */
export function toTraceDetail(
  row: TraceRow,
  context: { now: number; movesAt: number | null; headline: string | null; test: TestRef | null },
): Omit<TraceDetail, "signed_urls" | "playwright_viewer_url"> {
  return {
    ...toTraceItem(row, context.now, context),
    s3_prefix: `traces/${row.id}/`,
    parent_trace_id: row.parent_trace_id,
    replay_from_step: row.replay_from_step,
    blob_count: row.blob_count,
    status_reason: row.status_reason,
    pr_number: row.pr_number,
    region: row.region,
    run_id: row.run_id,
    attempt: row.attempt,
    started_at: isoOrNull(row.started_at),
    ended_at: isoOrNull(row.ended_at),
    failed_step_id: row.failed_step_id,
    share_expires_at: isShared(row, context.now) ? isoOrNull(row.share_expires_at) : null,
    warnings: JSON.parse(row.warnings) as string[],
    restore_error: row.restore_error,
    restoring: row.restoring === 1,
    expires_at: isoOrNull(context.movesAt),
  };
}

/** Whether the share link works. */
export function isShared(row: Pick<TraceRow, "share_visibility" | "share_expires_at">, now: number): boolean {
  return row.share_visibility !== null && row.share_expires_at !== null && row.share_expires_at > now;
}

/** Whether capture and post-processing are over. */
export function isFinal(status: TraceStatus): boolean {
  return status !== "queued" && status !== "running";
}

const isoOrNull = (ms: number | null) => (ms === null ? null : toIso(ms));
