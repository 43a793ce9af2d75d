import { type Static, Type } from "@sinclair/typebox";
import type { PastTrace } from "../../../store/records/histories.ts";
import { toIso } from "../../platform/clock.ts";
import { Headline, nullable, oneOf, SOURCES, STATUSES, TestRef, time } from "../model.ts";

export const MOST_RUNS = 200;
export const USUAL_RUNS = 30;

const ratio = (description: string) =>
  Type.Union([Type.Number({ minimum: 0, description }), Type.Null()], { description });

export const ScenarioRef = Type.Object({
  id: Type.String({ format: "uuid" }),
  slug: Type.String(),
  title: Type.String(),
  test: Type.Union([TestRef, Type.Null()], { description: "Null for what is no test of a test run." }),
});

export const HistoryItem = Type.Object({
  id: Type.String({ format: "uuid" }),
  short_id: Type.String(),
  status: oneOf(STATUSES),
  created_at: time("When the trace was made or uploaded."),
  duration_ms: Type.Integer(),
  code_sha: nullable(Type.String()),
  source: Type.Union([oneOf(SOURCES), Type.Null()]),
  pr_number: nullable(Type.Integer()),
  run_id: nullable(Type.String()),
  attempt: nullable(Type.Integer()),
  failure_signature: nullable(Type.String()),
  failure_message: nullable(Type.String({ description: "Its first 500 characters." })),
});
export type HistoryItem = Static<typeof HistoryItem>;

export const HistoryEntry = Type.Object({
  ...HistoryItem.properties,
  id: Type.String({ format: "uuid", description: "Of the trace; of the test run where it left none." }),
  short_id: Type.String({ description: "Of the same." }),
  status: oneOf([...STATUSES, "flaky", "skipped", "not_run"]),
  created_at: time("When the test began in its run, else when the trace was made or uploaded."),
  trace_id: nullable(Type.String({ format: "uuid", description: "Of the attempt that tells most." })),
  test_run_id: nullable(Type.String({ format: "uuid", description: "Null for a trace outside of one." })),
  headline: Headline,
});
export type HistoryEntry = Static<typeof HistoryEntry>;
/** An entry before its cause was looked up. */
export type BareEntry = Omit<HistoryEntry, "headline">;

const Statistics = Type.Object(
  {
    passed: Type.Integer(),
    failed: Type.Integer(),
    other: Type.Integer({ description: "Ended in `error` or `aborted`; counted nowhere else." }),
    pass_rate: ratio("Passed of passed and failed; null without any."),
    flakiness: Type.Object(
      {
        score: ratio("`flips / pairs`, 0 to 1; null when no commit ran twice."),
        flips: Type.Integer({
          description:
            "Pairs of which one passed and the other failed; a run that failed before it passed is one.",
        }),
        pairs: Type.Integer({ description: "Neighbouring passed or failed runs of the same commit." }),
        flaky_commits: Type.Integer({ description: "Commits on which the scenario both passed and failed." }),
      },
      { description: "How often the outcome changes although the code does not." },
    ),
    duration: Type.Object(
      {
        median_ms: nullable(Type.Integer()),
        p95_ms: nullable(Type.Integer()),
        trend: ratio(
          "Median of the newer half against that of the older half; null below six passed traces.",
        ),
      },
      { description: "Of passed traces." },
    ),
    streak: Type.Union([
      Type.Object({ status: oneOf(["passed", "failed"]), count: Type.Integer() }),
      Type.Null(),
    ]),
  },
  {
    description:
      "Over so many of the last runs: a test run counts once, however many attempts and traces it had, or none.",
  },
);

const RunRef = Type.Object({
  id: Type.String({ format: "uuid" }),
  short_id: Type.String(),
  code_sha: nullable(Type.String()),
  created_at: time("When the trace was made or uploaded."),
});
type RunRef = Static<typeof RunRef>;

export const Regression = Type.Union(
  [
    Type.Object({
      last_green: Type.Union([RunRef, Type.Null()], {
        description: "The last trace that passed; null when none did.",
      }),
      first_red: RunRef,
    }),
    Type.Null(),
  ],
  {
    description:
      "The last trace that passed and the first that failed after it, among all that are kept; null when the scenario's last passed or failed trace passed.",
  },
);
export type Regression = Static<typeof Regression>;

export const History = Type.Object({
  scenario: ScenarioRef,
  items: Type.Array(HistoryEntry, {
    description: "Newest first; a test run is one, however many attempts and traces there were.",
  }),
  statistics: Statistics,
  regression: Regression,
});
export type History = Static<typeof History>;

const Run = Type.Pick(HistoryEntry, [
  "id",
  "short_id",
  "status",
  "created_at",
  "duration_ms",
  "code_sha",
  "trace_id",
  "test_run_id",
]);

export const HistoryList = Type.Object({
  items: Type.Array(
    Type.Object({
      scenario: ScenarioRef,
      last: HistoryEntry,
      runs: Type.Array(Run, { description: `The last ${USUAL_RUNS}, newest first.` }),
      statistics: Statistics,
      regression: Regression,
    }),
  ),
  next_cursor: nullable(Type.String()),
});
export type HistoryList = Static<typeof HistoryList>;

export const HistoryListQuery = Type.Object({
  status: Type.Optional(oneOf(["passed", "failed", "error", "aborted"])),
  q: Type.Optional(Type.String({ maxLength: 200, description: "Part of the slug or title." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "next_cursor of the page before." })),
});
export type HistoryListQuery = Static<typeof HistoryListQuery>;

export const HistoryQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_RUNS, default: USUAL_RUNS })),
  until: Type.Optional(
    Type.String({
      format: "uuid",
      description: "A trace of the scenario: the history as it was when that one was the newest.",
    }),
  ),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const HistoryParams = Type.Object({
  scenario: Type.String({ maxLength: 64, description: "Id or slug of a scenario." }),
});

export function toHistoryItem(row: PastTrace): HistoryItem {
  const { ord: _, created_at, ...rest } = row;
  return { ...rest, created_at: toIso(created_at) };
}

export function toRunRef({ id, short_id, code_sha, created_at }: PastTrace): RunRef {
  return { id, short_id, code_sha, created_at: toIso(created_at) };
}

export const toRun = (entry: BareEntry): Static<typeof Run> => ({
  id: entry.id,
  short_id: entry.short_id,
  status: entry.status,
  created_at: entry.created_at,
  duration_ms: entry.duration_ms,
  code_sha: entry.code_sha,
  trace_id: entry.trace_id,
  test_run_id: entry.test_run_id,
});
