import { resultsOfScenario } from "../../../store/records/alert-results.ts";
import { findCheck } from "../../../store/records/checks.ts";
import { findScenario } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import { createSimulation } from "../alerts/simulation.ts";
import { INCIDENT_TYPES, type Result } from "../alerts/state.ts";
import { type AlertPolicy, policyOf } from "../policy.ts";
import { toResult } from "./kept.ts";
import type { Preview, PreviewRequest } from "./model.ts";

const DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** Of one region: a month of one every minute. */
const MOST_RESULTS = 43_200;
/** Of all regions. */
const MOST_IN_ALL = 130_000;
const MOST_INCIDENTS = 200;
/** Results after which others get a turn. */
const AT_ONCE = 2000;

/**
 * What an alert policy would have done over the last 30 days: the engine that decides live, on the results that were kept. Their number
 * of attempts is that of then; pauses and maintenance are not looked at.
 * @throws AppError `not_found`, `wrong_org`, `validation_failed` naming the field
 */
export async function previewPolicy(deps: Deps, actor: Actor, wanted: PreviewRequest): Promise<Preview> {
  const { scenarioId, regions, shadowProd } = await aboutWhat(deps, actor, wanted);
  const policy = policyOf({ alert_policy: JSON.stringify(wanted.alert_policy), shadow_prod: shadowProd });
  const to = deps.clock.now();
  const from = to - DAYS * DAY_MS;
  const limit = Math.min(MOST_RESULTS, Math.floor(MOST_IN_ALL / regions.length));
  const rows = await resultsOfScenario(deps.store.records, { scenarioId, regions, from, limit: limit + 1 });
  const counts = new Map<string, number>();
  for (const { region } of rows) counts.set(region, (counts.get(region) ?? 0) + 1);
  const results = rows.map(toResult).sort((a, b) => a.at - b.at || (a.runId < b.runId ? -1 : 1));
  return {
    ...{ policy, from: toIso(from), to: toIso(to), results: results.length },
    is_whole: [...counts.values()].every((count) => count <= limit),
    ...(await played(policy, regions.length, results)),
  };
}

async function played(policy: AlertPolicy, regions: number, results: Result[]) {
  const simulation = createSimulation(policy, regions);
  for (const [index, result] of results.entries()) {
    simulation.push(result);
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  simulation.tellDue(Number.MAX_SAFE_INTEGER);
  const texts = new Map(
    simulation.timeline
      .filter(({ kind }) => kind === "opened")
      .map(({ incidentId, text }) => [incidentId, text]),
  );
  const { incidents } = simulation;
  return {
    notices: simulation.told.length,
    rules: INCIDENT_TYPES.map((rule) => ({
      rule,
      opened: incidents.filter(({ type }) => type === rule).length,
      fired: incidents.filter(({ rules }) => rules.includes(rule)).length,
    })),
    healed: simulation.timeline.filter(({ kind }) => kind === "healed").length,
    incidents: incidents
      .slice(-MOST_INCIDENTS)
      .reverse()
      .map(({ id, region, type, openedAt, resolvedAt, lastRunId, traceId }) => ({
        ...{ region, type, opened_at: toIso(openedAt) },
        resolved_at: resolvedAt === null ? null : toIso(resolvedAt),
        ...{ text: texts.get(id) ?? "", run_id: lastRunId, trace_id: traceId },
      })),
  };
}

async function aboutWhat({ store }: Deps, actor: Actor, { check_id, scenario, regions }: PreviewRequest) {
  if ((check_id === undefined) === (scenario === undefined))
    throw invalid('The body must have one of "check_id" and "scenario".');
  if (check_id !== undefined) {
    const check = await findCheck(store.records, check_id.toLowerCase());
    if (!check) throw notFound("The check");
    if (check.org_id !== actor.orgId) throw new AppError("wrong_org", "The check belongs to another org.");
    const named = regions ?? (JSON.parse(check.regions) as string[]);
    return { scenarioId: check.scenario_id, regions: named, shadowProd: check.shadow_prod };
  }
  const found = await findScenario(store.records, actor.orgId, scenario!);
  if (!found) throw notFound("The scenario");
  if (!regions) throw invalid('The body\'s field "regions" is needed with "scenario".');
  return { scenarioId: found.id, regions, shadowProd: 0 };
}
