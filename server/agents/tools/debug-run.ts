import { Type } from "@sinclair/typebox";
import { AppError, invalid } from "../../http/errors.ts";
import { requireRun } from "../../run/runs/service.ts";
import { tracePrompt } from "../../trace/prompts/service.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { Cursor, FIND_A_TRACE, NextCursor, Text, TextOrNull, TraceId, Url } from "./shared.ts";

/** Characters of an answer's text; the most telling parts stand first. */
const PART = 5_500;

export const debugRun = defineTool({
  name: "product_debug_run",
  title: "Debug a run",
  description:
    "A failed run told whole, as one text to work from: cause, error, call log, test source around the failing line, failing requests with bodies, steps before, console errors, page tree. Call it when you are going to mend the failure.",
  scope: ["traces:read", "mcp:debug"],
  whenMissing: FIND_A_TRACE,
  input: Type.Object({
    trace_id: Type.Optional(TraceId),
    run_id: Type.Optional(Type.String({ format: "uuid", description: "A run, instead of its trace." })),
    cursor: Cursor,
  }),
  output: Type.Object({
    ...{ trace_id: Text, run_id: TextOrNull, status: Text },
    context: Type.String({ description: "CommonMark; goes on where the cursor points." }),
    url: Url,
    next_cursor: NextCursor,
  }),
  async call(deps, caller, { trace_id: named, run_id: runId, cursor }) {
    const from = readCursor(cursor);
    if ((named === undefined) === (runId === undefined))
      throw invalid('Give either the argument "trace_id" or the argument "run_id".');
    const run = runId === undefined ? null : await requireRun(deps, caller.actor, runId);
    if (run && run.trace_id === null)
      throw new AppError(
        "conflict",
        "The run has no trace yet: look at it with product_get_run and call again.",
      );
    const { trace } = await requireNamedTrace(deps, caller, named ?? run!.trace_id!);
    const text = await tracePrompt(deps, trace, caller.publicOrigin);
    const end = endOfPart(text, from);
    return {
      trace_id: trace.id,
      run_id: run?.id ?? trace.run_id,
      status: trace.status,
      context: text.slice(from, end),
      url: traceLink(caller, trace.id, trace.failed_step_id),
      next_cursor: end < text.length ? String(end) : null,
    };
  },
});

/** Where a line ends, if one does in the last half of the part. */
function endOfPart(text: string, from: number): number {
  const most = from + PART;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf("\n", most) + 1;
  return line > from + PART / 2 ? line : most;
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,6}$/.test(cursor))
    throw invalid('The argument "cursor" is not one that product_debug_run gave out.');
  return Number(cursor);
}
