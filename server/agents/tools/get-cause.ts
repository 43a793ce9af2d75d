import { type Static, Type } from "@sinclair/typebox";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../http/errors.ts";
import { causeOf, hasFailed } from "../../trace/causes/service.ts";
import { storedSummary } from "../../trace/files/stored-summary.ts";
import { whereItLies } from "../../trace/files/where-it-lies.ts";
import { fitting, told, toldOrNull } from "../../trace/fit.ts";
import type { CauseContext, Suspect } from "../../trace/format/cause/types.ts";
import { NOT_COMPARED } from "../../trace/format/cause-section.ts";
import { isFinal } from "../../trace/model.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { Cursor, FIND_A_TRACE, NextCursor, orNull, Text, TextOrNull, TraceId, Url } from "./shared.ts";

/** Of the suspects of an answer: what stands first is nearly always the cause. */
const SUSPECT_BYTES = 2_200;
const MOST_SUSPECTS = 5;
const LOG_LINES = 6;
const PENDING = 4;

const Told = Type.Object({
  rank: Type.Integer(),
  kind: Text,
  title: Text,
  detail: TextOrNull,
  confidence: Type.Number({ description: "0 to 1" }),
  step_id: TextOrNull,
  events: Type.Array(Type.Integer(), { description: "Sequence numbers of the events that show it." }),
  is_new: orNull(Type.Boolean({ description: "No earlier pass has it; null without a pass." })),
});

const Context = Type.Object({
  page_url: TextOrNull,
  passing_page_url: orNull(Type.String({ description: "Where the last pass was then, if elsewhere." })),
  divergence: orNull(Type.String({ description: "Where it first went another way than the last pass." })),
  pending_requests: Type.Array(Text),
  call_log: Type.Array(Text),
});

export const getCause = defineTool({
  name: "get_cause",
  title: "Why a trace failed",
  description:
    "Call this first for any failing run: why it failed in one sentence (headline), the failed step and its error, and ranked suspects with evidence, compared with the last pass of the same test.",
  scope: ["traces:read"],
  whenMissing: FIND_A_TRACE,
  input: Type.Object({ trace_id: TraceId, cursor: Cursor }),
  output: Type.Object({
    trace_id: Text,
    status: Text,
    scenario_title: Text,
    baseline_id: orNull(Type.String({ description: "Trace of the newest pass before." })),
    failed_step: orNull(Type.Object({ step_id: Text, title: Text })),
    headline: orNull(Type.String({ description: "The cause in one sentence; null when nothing failed." })),
    error: TextOrNull,
    code: orNull(Type.String({ description: "file:line:column of the test that failed." })),
    suspects: Type.Array(Told, { description: "Best first." }),
    also_when_passing: Type.Array(Type.Object({ title: Text, count: Type.Integer() }), {
      description: "Wrong here and in passes alike: not the cause.",
    }),
    context: orNull(Context),
    note: Type.Optional(Text),
    url: Url,
    next_cursor: NextCursor,
  }),
  async call(deps, caller, args) {
    const { trace } = await requireNamedTrace(deps, caller, args.trace_id);
    const from = readCursor(args.cursor);
    const { baselineId, found } = await causeOf(deps, trace);
    const { cause, context } = found;
    const rest = cause.suspects.slice(from);
    const suspects = fitting(rest.slice(0, MOST_SUSPECTS).map(toldSuspect), SUSPECT_BYTES);
    const isFirst = from === 0;
    const step = cause.failed_step;
    return {
      trace_id: trace.id,
      status: trace.status,
      scenario_title: told(trace.scenario_title, 160),
      baseline_id: baselineId,
      failed_step: step && { step_id: told(step.step_id, 500), title: told(step.title, 200) },
      headline: toldOrNull(cause.headline, 300),
      error: isFirst ? toldOrNull(trace.failure_message, 400) : null,
      code: isFirst && hasFailed(trace) ? await placeOf(deps, trace) : null,
      suspects,
      also_when_passing: isFirst
        ? cause.also_when_passing.slice(0, 5).map(({ title, count }) => ({ title: told(title, 160), count }))
        : [],
      context: isFirst && context ? toldContext(context) : null,
      ...noteOn(trace.status, cause.headline !== null && baselineId === null),
      url: traceLink(caller, trace.id, step?.step_id),
      next_cursor: suspects.length < rest.length ? String(from + suspects.length) : null,
    };
  },
});

/** Where the test failed, as an editor takes it; null where no stack was recorded. */
async function placeOf(deps: Deps, trace: TraceRow): Promise<string | null> {
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now)).catch(
    (error: unknown) => {
      // The cause is known without this file. That it is damaged or gone is told by whoever needs it, and by the doctor.
      if (error instanceof AppError && error.kind === "unavailable") return null;
      throw error;
    },
  );
  const frame = summary?.failure?.stack?.[0];
  return frame ? `${told(frame.file, 300)}:${frame.line}:${frame.column}` : null;
}

function noteOn(status: Parameters<typeof isFinal>[0], isAlone: boolean): { note?: string } {
  if (isAlone) return { note: NOT_COMPARED };
  if (status === "passed") return { note: "This run passed: there is no failure to explain." };
  return isFinal(status)
    ? {}
    : { note: "This run has not ended, or waits to be processed: call again later." };
}

function toldSuspect({
  rank,
  kind,
  title,
  detail,
  confidence,
  step_id,
  events,
  is_new,
}: Suspect): Static<typeof Told> {
  return {
    ...{ rank, kind, title: told(title, 240) },
    detail: detail === title ? null : toldOrNull(detail, rank === 1 ? 500 : 200),
    ...{ confidence, step_id: toldOrNull(step_id, 200), events: events.slice(0, 4), is_new },
  };
}

function toldContext({ url, passing_url, divergence, pending, log }: CauseContext): Static<typeof Context> {
  return {
    page_url: toldOrNull(url, 300),
    passing_page_url: passing_url === url ? null : toldOrNull(passing_url, 300),
    divergence: toldOrNull(divergence, 400),
    pending_requests: pending.slice(0, PENDING).map((line) => told(line, 160)),
    call_log: log.slice(-LOG_LINES).map((line) => told(line, 140)),
  };
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,3}$/.test(cursor)) throw invalid('The argument "cursor" is not one that get_cause gave out.');
  return Number(cursor);
}
