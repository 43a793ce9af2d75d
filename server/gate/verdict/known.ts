import { resultsOfScenario } from "../../../store/records/alert-results.ts";
import { pastTraces } from "../../../store/records/histories.ts";
import { unresolvedOf } from "../../../store/records/incidents.ts";
import { firesOf, type RunRow } from "../../../store/records/runs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { knownRegions } from "../../run/regions.ts";
import type { Known } from "./finding.ts";
import { flakyBefore } from "./flaky.ts";
import { isSameFailure } from "./same.ts";

/** What production did before tells nothing of it now. */
const RECENT_MS = 7 * 24 * 60 * 60_000;
const HISTORY = 60;

/** What is known in production of a scenario that failed: its open incident, or its newest scheduled runs. */
export async function knownInProduction(
  deps: Deps,
  run: RunRow,
  trace: TraceRow | null,
): Promise<Known | null> {
  const { records } = deps.store;
  const open = await unresolvedOf(records, run.scenario_id);
  // Of each region the newest one.
  const newest = await resultsOfScenario(records, {
    scenarioId: run.scenario_id,
    regions: knownRegions(deps.config.settings),
    from: deps.clock.now() - RECENT_MS,
    limit: 1,
  });
  const failing = newest.filter(({ kind, status }) => kind === "run" && status === "failed");
  const isAlike = async ({ trace_id }: { trace_id: string | null }): Promise<boolean> => {
    const other = trace && trace_id !== null ? await findTrace(records, trace_id) : null;
    return trace !== null && other !== null && isSameFailure(trace, other);
  };
  const alike = await firstOf(failing, isAlike);
  const alikeIncident = await firstOf(open, isAlike);
  const incident = alikeIncident ?? open[0] ?? null;
  const isSame = alike !== null || alikeIncident !== null;
  if (!incident && failing.length === 0) return null;
  const runId = alike?.run_id ?? incident?.last_run_id ?? failing[0]?.run_id ?? null;
  return {
    ...{ kind: "production", is_same: isSame, run_id: runId, incident_id: incident?.id ?? null },
    text: isSame
      ? "It already fails in production, in the same way."
      : "It fails in production too, in another way.",
  };
}

async function firstOf<T>(all: readonly T[], isWanted: (one: T) => Promise<boolean>): Promise<T | null> {
  for (const one of all) if (await isWanted(one)) return one;
  return null;
}

/** Whether the same failure came and went by itself before. */
export async function knownAsFlaky(deps: Deps, run: RunRow, trace: TraceRow | null): Promise<Known | null> {
  if (!trace) return null;
  const of = { orgId: run.org_id, scenarioId: run.scenario_id };
  const past = await pastTraces(deps.store.records, of, { limit: HISTORY });
  const before = past.filter(({ ord, code_sha }) => ord < trace.ord && code_sha !== trace.code_sha);
  const fires = await firesOf(
    deps.store.records,
    before.flatMap(({ run_id }) => run_id ?? []),
  );
  const verdicts = before.map((one) => ({
    ...one,
    fire: one.run_id === null ? null : (fires.get(one.run_id) ?? one.run_id),
  }));
  const found = flakyBefore(verdicts, (one) => isSameFailure(trace, one));
  if (!found) return null;
  return {
    ...{ kind: "flaky", is_same: true, run_id: null, incident_id: null },
    text: `It is flaky: it failed like this and then passed by itself ${found.times} times in the last ${found.of} runs.`,
  };
}

/** What the run on the base commit says of the failure; null when that ended in another way than a verdict. */
export async function knownOnBase(
  deps: Deps,
  trace: TraceRow | null,
  baseRun: RunRow | null,
): Promise<Known | null> {
  if (baseRun?.status !== "failed") return null;
  const other = baseRun.trace_id === null ? null : await findTrace(deps.store.records, baseRun.trace_id);
  const isSame = trace !== null && other !== null && isSameFailure(trace, other);
  return {
    ...{ kind: "base", is_same: isSame, run_id: baseRun.id, incident_id: null },
    text: isSame
      ? "It also fails on the base commit, in the same way."
      : "It fails on the base commit too, in another way.",
  };
}
