import { Type } from "@sinclair/typebox";
import { told, toldOrNull } from "../../trace/fit.ts";
import { showTrace } from "../../trace/traces/service.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { FIND_A_TRACE, orNull, Text, TextOrNull, TraceId, Url } from "./shared.ts";

const file = Type.Optional(Text);

export const getTrace = defineTool({
  name: "get_trace",
  title: "Get a trace",
  description:
    "What is known of one recording: status, commit, pull request, times, and signed links to its files (events, video, Playwright archive).",
  scope: ["traces:read"],
  whenMissing: FIND_A_TRACE,
  input: Type.Object({ trace_id: TraceId }),
  output: Type.Object({
    ...{
      id: Text,
      short_id: Text,
      scenario_id: Text,
      scenario_slug: Text,
      scenario_title: Text,
      status: Text,
    },
    status_reason: TextOrNull,
    s3_prefix: Text,
    signed_urls: Type.Object(
      { ndjson: file, video: file, playwright: file, rrweb: file, summary: file, report: file },
      { description: "They need no credential and expire." },
    ),
    parent_trace_id: TextOrNull,
    replay_from_step: orNull(Type.Integer()),
    total_size_bytes: Type.Integer(),
    blob_count: Type.Integer(),
    ...{ tier: Text, pinned: Type.Boolean(), source: TextOrNull, duration_ms: Type.Integer() },
    ...{ event_count: Type.Integer(), error_count: Type.Integer() },
    ...{ code_sha: TextOrNull, pr_number: orNull(Type.Integer()), region: TextOrNull, run_id: TextOrNull },
    ...{ failure_signature: TextOrNull, failure_message: TextOrNull, headline: TextOrNull },
    failed_step_id: TextOrNull,
    ...{ created_at: Text, started_at: TextOrNull, ended_at: TextOrNull },
    warnings: Type.Array(Text),
    url: Url,
  }),
  async call(deps, caller, args) {
    const { trace } = await requireNamedTrace(deps, caller, args.trace_id);
    return toldTrace(caller, await showTrace(deps, caller.actor, trace.id, caller.origin));
  },
});

/** What an agent is told of a trace: of whatever size its recording is. */
export function toldTrace(caller: Caller, detail: Awaited<ReturnType<typeof showTrace>>) {
  const { id, short_id, scenario_id, scenario_slug, status, s3_prefix, signed_urls, tier, pinned } = detail;
  const { parent_trace_id, replay_from_step, total_size_bytes, blob_count, source, duration_ms } = detail;
  const { event_count, error_count, pr_number, run_id, created_at, started_at, ended_at } = detail;
  return {
    ...{
      id,
      short_id,
      scenario_id,
      scenario_slug,
      scenario_title: told(detail.scenario_title, 200),
      status,
    },
    status_reason: toldOrNull(detail.status_reason, 300),
    ...{ s3_prefix, signed_urls, parent_trace_id, replay_from_step, total_size_bytes, blob_count },
    ...{ tier, pinned, source, duration_ms, event_count, error_count },
    ...{
      code_sha: toldOrNull(detail.code_sha, 100),
      pr_number,
      region: toldOrNull(detail.region, 100),
      run_id,
    },
    failure_signature: toldOrNull(detail.failure_signature, 200),
    failure_message: toldOrNull(detail.failure_message, 600),
    headline: toldOrNull(detail.headline, 300),
    failed_step_id: toldOrNull(detail.failed_step_id, 500),
    ...{ created_at, started_at, ended_at },
    warnings: detail.warnings.slice(0, 5).map((warning) => told(warning, 200)),
    url: traceLink(caller, id, detail.failed_step_id),
  };
}
