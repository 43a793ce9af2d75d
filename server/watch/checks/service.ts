import { findSlo, setSlo } from "../../../store/records/check-slos.ts";
import {
  type CheckChanges,
  type CheckRow,
  changeCheck,
  findCheck,
  hasPreflight,
  insertCheck,
  listChecks,
  MAX_CHECKS,
  removeCheck,
  runsOfCheck,
} from "../../../store/records/checks.ts";
import type { Trx } from "../../../store/records/db.ts";
import { findScenario, findScenarioFile } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { readIdCursor, writeIdCursor } from "../../http/cursors.ts";
import { AppError, conflict, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { fromIso, toIso } from "../../platform/clock.ts";
import { clockChanges, nextFire, nextFires, showFire } from "../../run/language/fires.ts";
import { DEFAULT_REGION } from "../../run/regions.ts";
import { requireRegions, requireSchedule, requireTarget } from "../rules.ts";
import {
  type CheckAnswer,
  type CheckListQuery,
  type CheckUpdate,
  type Fires,
  type FiresQuery,
  MAX_PAUSE_HOURS,
  type NewCheck,
  type Pause,
  toCheck,
} from "./model.ts";
import { storedPolicy } from "./stored-policy.ts";

const DEFAULT_LIMIT = 50;
const DEFAULT_COUNT = 5;
const DEFAULT_CRON = "*/5 * * * *";
const HOUR_MS = 60 * 60_000;

/** One page of the org's checks, newest first. @throws AppError for a cursor of another list */
export async function showChecks(deps: Deps, { orgId }: Pick<Actor, "orgId">, query: CheckListQuery) {
  const { records } = deps.store;
  const scenario = query.scenario === undefined ? null : await findScenario(records, orgId, query.scenario);
  if (query.scenario !== undefined && !scenario) return { items: [], next_cursor: null };
  const limit = query.limit ?? DEFAULT_LIMIT;
  const rows = await listChecks(records, {
    orgId,
    limit: limit + 1,
    ...(scenario && { scenarioId: scenario.id }),
    ...(query.enabled !== undefined && { isEnabled: query.enabled === "true" || query.enabled === "1" }),
    ...(query.channel !== undefined && { channelId: query.channel.toLowerCase() }),
    ...(query.cursor !== undefined && { after: readIdCursor(query.cursor) }),
  });
  const page = rows.slice(0, limit);
  const items: CheckAnswer[] = [];
  for (const row of page) items.push(await answer(deps, row));
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items, next_cursor: last ? writeIdCursor(last.id) : null };
}

/** @throws AppError `not_found`, `wrong_org` */
export async function requireCheck(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<CheckRow> {
  return ownCheck(await findCheck(deps.store.records, id.toLowerCase()), actor);
}

export async function showCheck(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<CheckAnswer> {
  return answer(deps, await requireCheck(deps, actor, id));
}

/**
 * Makes a check; it fires from now on unless it is to be off.
 * @throws AppError `not_found` without such a scenario, `cron_invalid`, `cron_too_frequent`, `preflight_required`,
 * `validation_failed` when there is nothing to run, no target, no such region in the plan, or no such channel; `conflict` when the org has too many
 */
export async function createCheck(deps: Deps, actor: Actor, wanted: NewCheck): Promise<CheckAnswer> {
  const { cron = DEFAULT_CRON, timezone = "UTC", regions = [DEFAULT_REGION], enabled = true } = wanted;
  requireSchedule(deps, { cron, timezone });
  requireRegions(deps, regions);
  const scenario = await findScenarioFile(deps.store.records, actor.orgId, wanted.scenario_id);
  if (!scenario) throw notFound("The scenario");
  requireTarget(scenario);
  const now = deps.clock.now();
  const row: CheckRow = {
    id: deps.ids.uuid(),
    org_id: actor.orgId,
    scenario_id: scenario.id,
    origin: "api",
    cron,
    timezone,
    regions: JSON.stringify(regions),
    shadow_prod: wanted.shadow_prod ? 1 : 0,
    alert_policy: "{}",
    enabled: enabled ? 1 : 0,
    paused_at: null,
    paused_until: null,
    paused_by: null,
    next_run_at: enabled ? nextFire({ cron, timezone }, now) : null,
    last_run_at: null,
    last_tick_at: null,
    counts_from: now,
    created_at: now,
    updated_at: now,
  };
  await commit(deps, async (within) => {
    await requirePreflight(within, row, scenario.slug);
    row.alert_policy = await storedPolicy(within, actor.orgId, wanted.alert_policy ?? {});
    if (!(await insertCheck(within, row, MAX_CHECKS)))
      throw conflict(`An org has at most ${MAX_CHECKS} checks.`);
    await setSlo(within, row.id, wanted.slo ?? null);
    await auditAct(within, actor, {
      at: now,
      action: "check.create",
      target: row.id,
      detail: { scenario: scenario.slug, cron, timezone, regions, enabled },
    });
  });
  return toCheck(row, { scenario, lastRuns: [], slo: wanted.slo ?? null, now });
}

/**
 * Changes what is named of a check. One that is switched on counts from now; a new cron or zone holds from the next fire on.
 * @throws AppError as `createCheck`
 */
export async function updateCheck(
  deps: Deps,
  actor: Actor,
  id: string,
  wanted: CheckUpdate,
): Promise<CheckAnswer> {
  if (wanted.regions) requireRegions(deps, wanted.regions);
  const now = deps.clock.now();
  return change(deps, actor, id, async (within, row) => {
    const { cron = row.cron, timezone = row.timezone } = wanted;
    if (wanted.cron !== undefined || wanted.timezone !== undefined) requireSchedule(deps, { cron, timezone });
    const isOn = wanted.enabled ?? row.enabled === 1;
    const regions = wanted.regions ? JSON.stringify(wanted.regions) : row.regions;
    if (wanted.enabled === true && row.enabled === 0)
      await requireReady(deps, within, { ...row, cron, timezone, regions });
    if (wanted.slo !== undefined) await setSlo(within, row.id, wanted.slo);
    const alert_policy =
      wanted.alert_policy && (await storedPolicy(within, row.org_id, wanted.alert_policy, row.alert_policy));
    const isMoved = cron !== row.cron || timezone !== row.timezone || isOn !== (row.enabled === 1);
    return {
      action: "check.update",
      detail: { fields: Object.keys(wanted), ...(wanted.enabled !== undefined && { enabled: isOn }) },
      changes: {
        cron,
        timezone,
        regions,
        ...(wanted.shadow_prod !== undefined && { shadow_prod: wanted.shadow_prod ? 1 : 0 }),
        ...(alert_policy !== undefined && { alert_policy }),
        ...(isMoved && { next_run_at: isOn ? fireAfter({ ...row, cron, timezone }, now) : null }),
        ...(isOn && row.enabled === 0 && { counts_from: now }),
        enabled: isOn ? 1 : 0,
        updated_at: now,
      },
    };
  });
}

/**
 * Pauses a check, or moves the end of its pause; `hours: 0` resumes it. What runs goes on. What was found before a resume does not
 * count any more.
 * @throws AppError `validation_failed` for an end that is past or too far ahead
 */
export async function pauseCheck(deps: Deps, actor: Actor, id: string, wanted: Pause): Promise<CheckAnswer> {
  const now = deps.clock.now();
  const until = pauseEnd(wanted, now);
  return change(deps, actor, id, async (_, row) => {
    const isPaused = row.paused_until !== null && row.paused_until > now;
    if (until === null && !isPaused) return null;
    const pause =
      until === null
        ? { paused_at: null, paused_until: null, paused_by: null, counts_from: now }
        : {
            paused_at: now,
            paused_until: until,
            paused_by: `${actor.type}:${actor.id}`,
          };
    return {
      action: until === null ? "check.resume" : "check.pause",
      detail: until === null ? {} : { until: toIso(until) },
      changes: {
        ...pause,
        next_run_at: row.enabled === 1 ? fireAfter({ ...row, ...pause }, now) : null,
        updated_at: now,
      },
    };
  });
}

/** Its runs stay. @throws AppError `not_found`, `wrong_org` */
export async function deleteCheck(deps: Deps, actor: Actor, id: string): Promise<void> {
  const { id: target, scenario_id, cron } = await requireCheck(deps, actor, id);
  await commit(deps, async (within) => {
    if (!(await removeCheck(within, target))) throw notFound("The check");
    const detail = { scenario_id, cron };
    await auditAct(within, actor, { at: deps.clock.now(), action: "check.delete", target, detail });
  });
}

/** When a schedule fires next. @throws AppError `cron_invalid`, `cron_too_frequent`, `validation_failed` */
export function showFires(deps: Deps, query: FiresQuery): Fires {
  const { cron = DEFAULT_CRON, timezone = "UTC", count = DEFAULT_COUNT } = query;
  requireSchedule(deps, { cron, timezone });
  const from = query.from === undefined ? deps.clock.now() : fromIso(query.from);
  if (from === null) throw invalid('The query parameter "from" must be an ISO 8601 time.');
  const times = nextFires({ cron, timezone }, from, count);
  return {
    fires: times.map((at) => ({ at: toIso(at), local: showFire(at, timezone).local })),
    warnings: clockChanges(timezone, [from, ...times]),
  };
}

interface Change {
  changes: CheckChanges;
  action: string;
  detail: Record<string, unknown>;
}

/** Changes a check by what it is now. @param decide null leaves it as it is */
async function change(
  deps: Deps,
  actor: Actor,
  id: string,
  decide: (within: Trx, row: CheckRow) => Promise<Change | null>,
): Promise<CheckAnswer> {
  const row = await commit(deps, async (within) => {
    const known = ownCheck(await findCheck(within, id.toLowerCase()), actor);
    const decided = await decide(within, known);
    if (!decided) return known;
    const { changes, action, detail } = decided;
    await changeCheck(within, known.id, changes);
    await auditAct(within, actor, { at: deps.clock.now(), action, target: known.id, detail });
    return { ...known, ...changes };
  });
  return answer(deps, row);
}

async function answer(deps: Deps, row: CheckRow): Promise<CheckAnswer> {
  const scenario = await findScenario(deps.store.records, row.org_id, row.scenario_id);
  const lastRuns: CheckAnswer["last_runs"] = [];
  for (const region of JSON.parse(row.regions) as string[]) {
    const [run] = await runsOfCheck(deps.store.records, { checkId: row.id, region }, 1);
    if (!run) continue;
    const { id, status, scheduled_at } = run;
    lastRuns.push({ region, run_id: id, status, scheduled_at: toIso(scheduled_at) });
  }
  return toCheck(row, {
    scenario: scenario ?? { slug: "", title: "" },
    lastRuns,
    slo: await findSlo(deps.store.records, row.id),
    now: deps.clock.now(),
  });
}

function ownCheck(row: CheckRow | null, actor: Pick<Actor, "orgId">): CheckRow {
  if (!row) throw notFound("The check");
  if (row.org_id !== actor.orgId) throw new AppError("wrong_org", "The check belongs to another org.");
  return row;
}

/** A check fires again when its pause is over. */
export function fireAfter(
  row: Pick<CheckRow, "cron" | "timezone" | "paused_until">,
  now: number,
): number | null {
  // The end itself is no part of the pause.
  return nextFire(row, Math.max(now, (row.paused_until ?? 0) - 1));
}

/** Epoch ms; null to resume. */
function pauseEnd({ hours, until }: Pause, now: number): number | null {
  if ((hours === undefined) === (until === undefined))
    throw invalid('The body must have one of the fields "hours" and "until".');
  if (hours === 0) return null;
  const end = hours === undefined ? fromIso(until!) : now + Math.max(1, Math.round(hours * HOUR_MS));
  if (end === null) throw invalid('The body\'s field "until" must be an ISO 8601 time.');
  if (end <= now || end > now + MAX_PAUSE_HOURS * HOUR_MS)
    throw invalid(`The body's field "until" must be at most ${MAX_PAUSE_HOURS} hours ahead, and not past.`);
  return end;
}

/** What was switched off may be watched again. */
async function requireReady(deps: Deps, within: Trx, row: CheckRow): Promise<void> {
  const scenario = await findScenarioFile(within, row.org_id, row.scenario_id);
  if (!scenario) throw notFound("The scenario");
  requireTarget(scenario);
  requireSchedule(deps, row);
  requireRegions(deps, JSON.parse(row.regions) as string[]);
  await requirePreflight(within, row, scenario.slug);
}

async function requirePreflight(
  within: Trx,
  { org_id, scenario_id }: Pick<CheckRow, "org_id" | "scenario_id">,
  slug: string,
): Promise<void> {
  if (await hasPreflight(within, org_id, scenario_id)) return;
  throw new AppError(
    "preflight_required",
    `No preflight of the scenario "${slug}" is recorded: POST /v1/scenarios/${scenario_id}/preflight shows that its target knows synthetic users.`,
  );
}
