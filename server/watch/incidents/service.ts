import { headlinesOf } from "../../../store/records/causes.ts";
import {
  childrenOf,
  decideAlone,
  findIncident,
  type IncidentRow,
  listIncidents,
  timelineOf,
} from "../../../store/records/incidents.ts";
import { findScenario } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { readIdCursor, writeIdCursor } from "../../http/cursors.ts";
import { AppError, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { fromIso, toIso } from "../../platform/clock.ts";
import { type Act, act } from "../alerts/acts.ts";
import type { AlertPolicy } from "../policy.ts";
import { loadState, writeChanges } from "./kept.ts";
import {
  type IncidentAnswer,
  type IncidentItem,
  type IncidentListQuery,
  MAX_SUPPRESS_SECONDS,
  type Suppression,
  toIncident,
  toTimeline,
} from "./model.ts";

const DEFAULT_LIMIT = 50;
const TIMELINE_LENGTH = 500;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws AppError `not_found`, `wrong_org` */
export async function requireIncident(
  { store }: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<IncidentRow> {
  const row = UUID.test(id.toLowerCase()) ? await findIncident(store.records, id.toLowerCase()) : null;
  if (!row) throw notFound("The incident");
  if (row.org_id !== actor.orgId) throw new AppError("wrong_org", "The incident belongs to another org.");
  return row;
}

/** One page of the org's incidents, newest first. @throws AppError naming the parameter */
export async function showIncidents(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  query: IncidentListQuery,
): Promise<{ items: IncidentItem[]; next_cursor: string | null }> {
  const { records } = deps.store;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const scenario =
    query.scenario === undefined ? null : await findScenario(records, actor.orgId, query.scenario);
  if (query.scenario !== undefined && !scenario) return { items: [], next_cursor: null };
  const rows = await listIncidents(records, {
    orgId: actor.orgId,
    limit: limit + 1,
    ...(query.status !== undefined && { status: query.status }),
    ...(query.type !== undefined && { type: query.type }),
    ...(scenario && { scenarioId: scenario.id }),
    ...(query.cursor !== undefined && { after: readIdCursor(query.cursor) }),
  });
  const items = await withScenarios(deps, rows.slice(0, limit));
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? writeIdCursor(last.id) : null };
}

/** One incident with its timeline. @throws AppError `not_found`, `wrong_org` */
export async function showIncident(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<IncidentAnswer> {
  const row = await requireIncident(deps, actor, id);
  const { records } = deps.store;
  const [incident] = await withScenarios(deps, [row]);
  return {
    ...incident!,
    timeline: (await timelineOf(records, row.id, TIMELINE_LENGTH)).map(toTimeline),
    children: await withScenarios(deps, await childrenOf(records, row.id)),
  };
}

/** Notes that somebody looks at an incident; the same twice is no error. @throws AppError `invalid_transition` */
export function acknowledgeIncident(deps: Deps, actor: Actor, id: string): Promise<IncidentAnswer> {
  return carryOut(deps, actor, id, { kind: "acknowledge" });
}

/**
 * Silences an incident for a while; doing so again replaces the end and the reason.
 * @throws AppError `validation_failed` naming the field, `invalid_transition`
 */
export async function suppressIncident(
  deps: Deps,
  actor: Actor,
  id: string,
  wanted: Suppression,
): Promise<IncidentAnswer> {
  // Whether there is such an incident is said before what is wrong with the body.
  await requireIncident(deps, actor, id);
  const until = readUntil(wanted, deps.clock.now());
  const reason = wanted.reason.trim();
  if (reason === "") throw invalid('The body\'s field "reason" must say something.');
  return carryOut(deps, actor, id, { kind: "suppress", until, reason });
}

type Wanted = { kind: "acknowledge" } | { kind: "suppress"; until: number; reason: string };

async function carryOut(deps: Deps, actor: Actor, id: string, wanted: Wanted): Promise<IncidentAnswer> {
  const { id: incidentId, scenario_id: scenarioId } = await requireIncident(deps, actor, id);
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    await decideAlone(trx, scenarioId);
    // First of all, so that whoever decides at the same time waits.
    await auditAct(trx, actor, {
      at: now,
      action: `incident.${wanted.kind}`,
      target: incidentId,
      detail: wanted.kind === "suppress" ? { until: toIso(wanted.until), reason: wanted.reason } : {},
    });
    const row = (await findIncident(trx, incidentId))!;
    const done: Act = { ...wanted, actor: actor.userId ?? actor.id, at: now };
    const changes = act(await loadState(trx, scenarioId), incidentId, done);
    if ("refused" in changes) throw refusal(row, wanted.kind, changes.allowed);
    const policy = JSON.parse(row.policy) as AlertPolicy;
    await writeChanges(trx, after, changes, { orgId: actor.orgId, scenarioId, now, policy });
  });
  return showIncident(deps, actor, incidentId);
}

function refusal(
  { status, parent_incident_id }: IncidentRow,
  kind: string,
  allowed: readonly string[],
): AppError {
  const can = allowed.length === 0 ? "nothing can be done to it" : `it can only ${allowed.join(" or ")} now`;
  const part =
    parent_incident_id !== null && status === "suppressed"
      ? ` It is part of the outage ${parent_incident_id}.`
      : "";
  return new AppError("invalid_transition", `The incident is ${status}, and cannot ${kind}: ${can}.${part}`);
}

function readUntil({ duration_seconds, until }: Suppression, now: number): number {
  if ((duration_seconds === undefined) === (until === undefined))
    throw invalid('The body must have one of "duration_seconds" and "until".');
  if (duration_seconds !== undefined) return now + duration_seconds * 1000;
  const end = fromIso(until!);
  if (end === null) throw invalid('The body\'s field "until" must be an ISO 8601 time.');
  if (end <= now || end > now + MAX_SUPPRESS_SECONDS * 1000)
    throw invalid('The body\'s field "until" must lie ahead, by 30 days at most.');
  return end;
}

async function withScenarios({ store }: Pick<Deps, "store">, rows: IncidentRow[]): Promise<IncidentItem[]> {
  const known = new Map<string, { slug: string; title: string }>();
  for (const { org_id, scenario_id } of rows)
    if (!known.has(scenario_id))
      known.set(scenario_id, (await findScenario(store.records, org_id, scenario_id))!);
  const headlines = await headlinesOf(
    store.records,
    rows.flatMap(({ trace_id }) => trace_id ?? []),
  );
  return rows.map((row) =>
    toIncident(row, {
      scenario: known.get(row.scenario_id)!,
      headline: (row.trace_id !== null && headlines.get(row.trace_id)) || null,
    }),
  );
}
