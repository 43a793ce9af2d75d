import { pagesOf } from "../../../store/events/page.ts";
import { findRunOfTrace } from "../../../store/records/runs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { openEvents } from "../../trace/events/source.ts";
import { whereItLies } from "../../trace/files/where-it-lies.ts";
import { type EventFields, readEvent, type TraceEvent } from "../../trace/format/event.ts";
import { isFinal } from "../../trace/model.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { isOfThePast, type PastCall } from "../playback/catch-up.ts";
import type { RunPlan } from "../runs/execute.ts";

/** What a replay takes over from the run that made its source. */
export interface ReplaySource {
  scenario: CompiledScenario;
  /** The file as it was then; null where it was not kept. */
  file: { name: string; text: string } | null;
  region: string;
  baseUrl: string | null;
  /** Whether clones stood in for third parties, as they never do for a schedule. */
  hasClones: boolean;
  /** As of the run. */
  recordings: RunPlan["recordings"];
  /** The name that the run's synthetic user went by. */
  shard: string;
  steps: number;
  /** Pages that were opened, and what may have changed something, with the number of their step; as far as it is listed. */
  past: (PastCall & { step: number })[];
}

export type FoundSource =
  | { source: ReplaySource; refusal: null }
  | { source: null; refusal: { kind: "not_hot" | "conflict"; message: string } };

/** What a trace is replayed from, or why it cannot be. @throws AppError `unavailable` when its file is damaged */
export async function findSource(deps: Deps, trace: TraceRow): Promise<FoundSource> {
  const refuse = (kind: "not_hot" | "conflict", message: string): FoundSource => ({
    source: null,
    refusal: { kind, message },
  });
  if (trace.tier !== "hot")
    return refuse(
      "not_hot",
      `This trace is ${trace.tier}, and only hot ones are replayed: bring it back with POST /v1/traces/${trace.id}/restore.`,
    );
  if (!isFinal(trace.status))
    return refuse("conflict", `This trace is ${trace.status}: it can be replayed when it has ended.`);
  const run = await findRunOfTrace(deps.store.records, trace.id);
  if (!run)
    return refuse(
      "conflict",
      trace.parent_trace_id === null
        ? "No run of this server made this trace, so the scenario that it came from is not known."
        : `This trace is a replay itself: replay its source, ${trace.parent_trace_id}.`,
    );
  const { scenario, source, recordings, is_untrusted } = JSON.parse(run.plan) as RunPlan;
  if (is_untrusted)
    return refuse(
      "conflict",
      "This run was of code of a fork: a replay would give it what forks do not get.",
    );
  const { steps, past } = await whereItLies(deps, trace, (now) => readSteps(deps, now));
  if (steps === 0) return refuse("conflict", "This trace ended before its first step.");
  return {
    refusal: null,
    source: {
      scenario,
      file: fileOf(scenario, source),
      region: run.region,
      baseUrl: run.base_url,
      hasClones: run.type !== "schedule",
      recordings,
      shard: run.id.slice(-12),
      steps,
      past,
    },
  };
}

/** The scenario file that a trace's run carried out, as it was then; null where no run made the trace or a fork's did. */
export async function scenarioFileOf(
  { store }: Pick<Deps, "store">,
  { id }: Pick<TraceRow, "id">,
): Promise<ReplaySource["file"]> {
  const run = await findRunOfTrace(store.records, id);
  if (!run) return null;
  const { scenario, source, is_untrusted } = JSON.parse(run.plan) as RunPlan;
  return is_untrusted ? null : fileOf(scenario, source);
}

function fileOf(scenario: CompiledScenario, source: RunPlan["source"]): ReplaySource["file"] {
  if (source === null || source === undefined) return null;
  const name = scenario.steps.find(({ from }) => from === null)?.at.file ?? `${scenario.slug}.scenario.md`;
  return { name, text: source };
}

const MOST_LISTED = 200;
const LONGEST_URL = 500;
/** Most requests are neither pages nor change anything, and need not be read. */
const MAY_MATTER = /"resource_type":"document"|"method":"(?:POST|PUT|PATCH|DELETE)"/;

/** How many steps a trace has: each of a run leaves one action or assertion. And what they sent. */
async function readSteps(deps: Deps, trace: TraceRow): Promise<Pick<ReplaySource, "steps" | "past">> {
  const file = await openEvents(deps, trace);
  const seen = new Set<string>();
  const past: ReplaySource["past"] = [];
  if (!file) return { steps: 0, past };
  for await (const lines of pagesOf(file, { kinds: ["agent.action", "assertion", "network.request"] }))
    for (const line of lines) {
      const isRequest = line.includes('"kind":"network.request"');
      if (isRequest && (past.length >= MOST_LISTED || !MAY_MATTER.test(line))) continue;
      const event = readEvent(line);
      if (isRequest) past.push(...callOf(event));
      else if (event.step_id) seen.add(event.step_id);
    }
  return { steps: seen.size, past };
}

function callOf(event: TraceEvent): ReplaySource["past"] {
  const { method, url, resource_type } = event as unknown as EventFields["network.request"];
  const isPage = resource_type === "document";
  // What the target's server asked of a clone is no request of this browser.
  if (resource_type === "server" || !/^https?:/.test(url) || !isOfThePast(method, isPage)) return [];
  // Steps of runs are called by their number.
  const step = Number(event.step_id?.slice(1) ?? 0);
  return [{ method, url: url.slice(0, LONGEST_URL), step: Number.isInteger(step) ? step : 0 }];
}
