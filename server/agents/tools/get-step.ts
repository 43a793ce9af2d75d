import { Type } from "@sinclair/typebox";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import { toIso } from "../../platform/clock.ts";
import { fitting, told, toldOrNull } from "../../trace/fit.ts";
import type { StepSummary } from "../../trace/format/summary.ts";
import { findStep, type NamedStep, stepsAround } from "../../trace/steps/find-step.ts";
import { momentsOf } from "../../trace/steps/moments.ts";
import { pageOf } from "../../trace/steps/page.ts";
import type { Caller } from "../caller.ts";
import { ToldError } from "../errors.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { Cursor, FIND_A_TRACE, NextCursor, orNull, Text, TextOrNull, TraceId, Url } from "./shared.ts";

const PAGE_BYTES = 4_500;
const REQUEST_BYTES = 2_200;
const CONSOLE_BYTES = 1_200;

const AtMs = Type.Integer({ description: "After the step began; less than 0 before." });
const Step = Type.Object({ step_id: Text, index: orNull(Type.Integer()), title: Text, status: Text });

export const getStep = defineTool({
  name: "get_step",
  title: "Look at a step",
  description:
    "What one step saw: its error and call log, the page as an accessibility tree, the requests and the console from 2 s before it to its end, and the steps around it. Without step: the failed one.",
  scope: ["traces:read"],
  whenMissing: FIND_A_TRACE,
  input: Type.Object({
    trace_id: TraceId,
    step: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: "A step_id, or the number of a step, from 1.",
      }),
    ),
    cursor: Cursor,
  }),
  output: Type.Object({
    trace_id: Text,
    step: Type.Object({
      ...Step.properties,
      started_at: Text,
      duration_ms: Type.Number(),
      error: TextOrNull,
      call_log: Type.Array(Text),
    }),
    before: Type.Array(Step),
    after: Type.Array(Step),
    page: orNull(
      Type.Object({
        url: Text,
        tree: Type.Array(Type.String(), { description: "Lines of the tree, from where the cursor points." }),
        lines: Type.Integer({ description: "Of the whole tree." }),
      }),
    ),
    requests: Type.Array(
      Type.Object({
        ...{ seq: Type.Integer(), at_ms: AtMs, method: Text, url: Text, status: orNull(Type.Integer()) },
        ...{ duration_ms: orNull(Type.Number()), error: TextOrNull },
      }),
      { description: "Failed ones first. status is null while there was no answer." },
    ),
    requests_total: Type.Integer(),
    console: Type.Array(Type.Object({ seq: Type.Integer(), at_ms: AtMs, level: Text, text: Text })),
    console_total: Type.Integer(),
    url: Url,
    next_cursor: NextCursor,
  }),
  async call(deps, caller, args) {
    const from = readCursor(args.cursor);
    const named = await requireNamedTrace(deps, caller, args.trace_id);
    const found = await findStep(deps, named.trace, args.step ?? named.step);
    if (!found) throw missing(named.trace.status, args.step ?? named.step);
    return { trace_id: named.trace.id, ...(await toAnswer(deps, caller, found, from)) };
  },
});

async function toAnswer(deps: Deps, caller: Caller, found: NamedStep, from: number) {
  const { trace, step, summary } = found;
  const [page, moments] = [await pageOf(deps, trace, step), await momentsOf(deps, trace, step)];
  const lines = page?.tree.slice(from) ?? [];
  const tree = fitting(lines, PAGE_BYTES);
  // Who reads on in the page has seen the rest.
  const isFirst = from === 0;
  const { before, after } = stepsAround(summary, step);
  return {
    step: {
      ...toStep(step),
      started_at: toIso(step.ts),
      duration_ms: step.duration_ms,
      error: toldOrNull(step.error, 600),
      call_log: isFirst ? moments.log.slice(-10).map((line) => told(line, 160)) : [],
    },
    before: isFirst ? before.map(toStep) : [],
    after: isFirst ? after.map(toStep) : [],
    page: page && { url: told(page.url, 300), tree, lines: page.tree.length },
    requests: isFirst ? fitting(moments.requests, REQUEST_BYTES) : [],
    requests_total: moments.requests.length,
    console: isFirst ? fitting(moments.lines, CONSOLE_BYTES) : [],
    console_total: moments.lines.length,
    url: traceLink(caller, trace.id, step.step_id),
    next_cursor: tree.length < lines.length ? String(from + tree.length) : null,
  };
}

const toStep = ({
  step_id,
  index,
  title,
  status,
}: Pick<StepSummary, "step_id" | "index" | "title" | "status">) => ({
  step_id: told(step_id, 300),
  index: index === 0 ? null : index,
  title: told(title, 160),
  status,
});

function missing(status: string, step: string | null): ToldError {
  if (step !== null)
    return new ToldError(
      "not_found",
      'The trace has no such step: give a step_id, as get_cause and search_trace name them, or a number from 1. Leave out "step" for the failed one.',
    );
  return new ToldError(
    "not_found",
    `No step of this trace failed (it is ${status}): name one by its number, from 1, as "step".`,
  );
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,6}$/.test(cursor)) throw invalid('The argument "cursor" is not one that get_step gave out.');
  return Number(cursor);
}
