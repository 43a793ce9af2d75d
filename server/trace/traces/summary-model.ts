import { Type } from "@sinclair/typebox";
import { LANES } from "../format/summary.ts";
import { oneOf, STATUSES } from "../model.ts";

const text = Type.String();
const count = Type.Integer();
const textOrNull = Type.Union([text, Type.Null()]);
const countOrNull = Type.Union([count, Type.Null()]);
const timeOrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

const Shot = Type.Object({
  seq: count,
  ts: count,
  blob: Type.String({ description: "sha256:<hex>" }),
  width: count,
  height: count,
  page: Type.Optional(text),
});

const PageState = Type.Object({ ts: count, url: text, page: Type.Optional(text) });

const Failure = Type.Object({
  step_id: textOrNull,
  seq: countOrNull,
  ts: countOrNull,
  kind: text,
  title: text,
  message: text,
  expected: Type.Optional(text),
  received: Type.Optional(text),
  stack: Type.Optional(
    Type.Array(
      Type.Object({
        file: text,
        line: count,
        column: count,
        function: Type.Optional(text),
        source: Type.Optional(
          Type.String({ description: "The file's text as it was: `sha256:<hex>`, a blob of this trace." }),
        ),
      }),
    ),
  ),
  screenshot: Type.Union([Shot, Type.Null()]),
  page: Type.Optional(Type.Union([PageState, Type.Null()])),
});

const Step = Type.Object({
  step_id: text,
  parent_step_id: textOrNull,
  index: Type.Integer({ description: "From 1, in order of first appearance." }),
  title: text,
  kind: text,
  seq: count,
  ts: count,
  duration_ms: count,
  status: oneOf(["passed", "failed"]),
  error: Type.Optional(text),
  console_errors: count,
  bad_requests: count,
});

/** `summary.json` as the API's description shows it; format/summary.ts says what each field holds. */
export const SummaryAnswer = Type.Object({
  version: Type.Literal(1),
  status: oneOf(STATUSES),
  title: text,
  scenario_slug: text,
  started_at: timeOrNull,
  ended_at: timeOrNull,
  duration_ms: count,
  event_count: count,
  error_count: count,
  bad_requests: Type.Optional(count),
  first_seq: countOrNull,
  last_seq: countOrNull,
  first_ts: countOrNull,
  last_ts: countOrNull,
  counts: Type.Record(text, count, { description: "Events per kind." }),
  failure: Type.Union([Failure, Type.Null()]),
  failure_signature: textOrNull,
  narrative: Type.Optional(textOrNull),
  first_bad_request: Type.Union([
    Type.Object({
      seq: count,
      ts: count,
      step_id: textOrNull,
      method: text,
      url: text,
      status: count,
      error: Type.Optional(text),
    }),
    Type.Null(),
  ]),
  first_console_error: Type.Union([
    Type.Object({ seq: count, ts: count, step_id: textOrNull, text }),
    Type.Null(),
  ]),
  steps: Type.Array(Step),
  step_count: count,
  filmstrip: Type.Array(Shot),
  lanes: Type.Object(Object.fromEntries(LANES.map((lane) => [lane, Type.Array(count)]))),
  final_screenshot: textOrNull,
  redaction_count: count,
  environment: Type.Record(text, text),
  warnings: Type.Array(text),
});
