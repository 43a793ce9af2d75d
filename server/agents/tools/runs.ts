import { type Static, Type } from "@sinclair/typebox";
import { AppError, conflict } from "../../http/errors.ts";
import { ManualRun, type RunAnswer } from "../../run/runs/model.ts";
import { runManually, showRun } from "../../run/runs/service.ts";
import { told, toldOrNull } from "../../trace/fit.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { orNull, Text, TextOrNull, Url } from "./shared.ts";

const MOST_AT_ONCE = 20;
const { region, baseUrl } = ManualRun.properties;

const Run = Type.Object({
  ...{ id: Text, type: Text, status: Text, scenario_id: Text, scenario_slug: Text, region: Text },
  ...{ base_url: TextOrNull, trace_id: TextOrNull, trigger: Text, attempt: Type.Integer() },
  parent_run_id: TextOrNull,
  ...{ scheduled_at: Text, started_at: TextOrNull, ended_at: TextOrNull, duration_ms: Type.Integer() },
  failure_signature: TextOrNull,
  headline: TextOrNull,
  error: orNull(Type.Object({ reason: TextOrNull, message: Text })),
  next: Text,
  url: Url,
});

export const getRun = defineTool({
  name: "product_get_run",
  title: "Get a run",
  description: "How one run of a scenario stands, with the id of its trace.",
  scope: ["runs:read"],
  whenMissing: "Run ids come from product_run_scenarios and product_list_scenarios.",
  input: Type.Object({ run_id: Type.String({ format: "uuid" }) }),
  output: Run,
  call: async (deps, caller, { run_id: id }) => toldRun(caller, await showRun(deps, caller.actor, id)),
});

export const runScenarios = defineTool({
  name: "product_run_scenarios",
  title: "Run scenarios",
  description:
    "Run scenarios now, in real browsers. Answers at once with the queued runs: follow each with product_get_run.",
  scope: ["runs:write", "mcp:run"],
  isWrite: true,
  whenMissing: "product_list_scenarios lists the scenarios.",
  input: Type.Object({
    scenarios: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: MOST_AT_ONCE,
      description: "Their ids or slugs.",
    }),
    region,
    baseUrl,
  }),
  output: Type.Object({
    runs: Type.Array(Run),
    refused: Type.Array(Type.Object({ scenario: Text, error: Text, message: Text })),
  }),
  async call(deps, caller, { scenarios, ...target }) {
    const runs: Static<typeof Run>[] = [];
    const refused: { scenario: string; error: string; message: string }[] = [];
    for (const scenario of new Set(scenarios)) {
      try {
        runs.push(
          toldRun(caller, await runManually(deps, caller.actor, { scenarioId: scenario, ...target })),
        );
      } catch (error) {
        // What is wrong with the only one is the answer.
        if (!(error instanceof AppError) || scenarios.length === 1) throw error;
        refused.push({ scenario, error: error.kind, message: error.message });
      }
    }
    return { runs, refused };
  },
});

/** How a run has ended that can be made again. */
const FAILED: readonly RunAnswer["status"][] = ["failed", "error", "aborted"];

export const rerun = defineTool({
  name: "product_rerun",
  title: "Run a failed run again",
  description: "Run the scenario of a failed run again, in its region and against its target.",
  scope: ["runs:write", "mcp:run"],
  isWrite: true,
  whenMissing: "Run ids come from product_list_scenarios.",
  input: Type.Object({ run_id: Type.String({ format: "uuid" }) }),
  output: Run,
  async call(deps, caller, { run_id: id }) {
    const { status, type, scenario_id, region, base_url } = await showRun(deps, caller.actor, id);
    if (!FAILED.includes(status))
      throw conflict(
        `This run is ${status}: only one that failed, was aborted or ended in an error is run again.`,
      );
    const again = await runManually(deps, caller.actor, {
      scenarioId: scenario_id,
      region,
      ...(base_url !== null && { baseUrl: base_url }),
      ...(type === "shadow_diff" && { type }),
    });
    return toldRun(caller, again);
  },
});

export function toldRun({ publicOrigin }: Pick<Caller, "publicOrigin">, run: RunAnswer): Static<typeof Run> {
  const { id, type, status, scenario_id, scenario_slug, region, trace_id, trigger, attempt } = run;
  const { parent_run_id, scheduled_at, started_at, ended_at, duration_ms, failure_signature, error } = run;
  return {
    ...{
      id,
      type,
      status,
      scenario_id,
      scenario_slug,
      region,
      base_url: toldOrNull(run.base_url, 300),
      trace_id,
    },
    ...{
      trigger,
      attempt,
      parent_run_id,
      scheduled_at,
      started_at,
      ended_at,
      duration_ms,
      failure_signature,
    },
    headline: toldOrNull(run.headline, 300),
    error: error && { reason: error.reason, message: told(error.message, 600) },
    next: nextOf(run),
    url: `${publicOrigin}/runs/${id}`,
  };
}

function nextOf({ id, status, trace_id: trace }: RunAnswer): string {
  if (status === "queued" || status === "running")
    return `Call product_get_run with run_id "${id}" in a few seconds.`;
  if (status === "passed") return "It passed.";
  return trace === null ? "It left no trace: error says why." : `Call get_cause with trace_id "${trace}".`;
}
