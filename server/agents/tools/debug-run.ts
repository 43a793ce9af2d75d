import { Type } from "@sinclair/typebox";
import { AppError, invalid } from "../../http/errors.ts";
import { requireRun } from "../../run/runs/service.ts";
import { tracePrompt } from "../../trace/prompts/service.ts";
import { told } from "../fit.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { FIND_A_TRACE, Text, TextOrNull, TraceId, Url } from "./shared.ts";

/** Characters of the text; the prompt's most telling parts stand first. */
const LONGEST = 9_000;

export const debugRun = defineTool({
  name: "product_debug_run",
  title: "Debug a run",
  description:
    "A failed run told whole, as one text to work from: cause, error, call log, test source around the failing line, failing requests with bodies, steps before, console errors, page tree. Longer than get_cause; call it when you are going to mend the failure.",
  scope: ["traces:read", "mcp:debug"],
  whenMissing: FIND_A_TRACE,
  input: Type.Object({
    trace_id: Type.Optional(TraceId),
    run_id: Type.Optional(Type.String({ format: "uuid", description: "A run, instead of its trace." })),
  }),
  output: Type.Object({ trace_id: Text, run_id: TextOrNull, status: Text, context: Text, url: Url }),
  async call(deps, caller, { trace_id: named, run_id: runId }) {
    if ((named === undefined) === (runId === undefined))
      throw invalid('Give either the argument "trace_id" or the argument "run_id".');
    const run = runId === undefined ? null : await requireRun(deps, caller.actor, runId);
    if (run && run.trace_id === null)
      throw new AppError(
        "conflict",
        "The run has no trace yet: look at it with product_get_run and call again.",
      );
    const { trace } = await requireNamedTrace(deps, caller, named ?? run!.trace_id!);
    return {
      trace_id: trace.id,
      run_id: run?.id ?? trace.run_id,
      status: trace.status,
      context: told(await tracePrompt(deps, trace, caller.publicOrigin), LONGEST),
      url: traceLink(caller, trace.id, trace.failed_step_id),
    };
  },
});
