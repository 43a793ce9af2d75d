import type { Db, Trx } from "../../../store/records/db.ts";
import {
  changeMaintenance,
  findMaintenance,
  insertMaintenance,
  type MaintenanceRow,
  maintenanceOf,
  removeMaintenance,
} from "../../../store/records/maintenance.ts";
import { hasten } from "../../../store/records/notices.ts";
import { findScenario } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { OUTAGE_MS } from "../alerts/tell.ts";
import { readProblem, requireTimeZone } from "../rules.ts";
import {
  MAX_WINDOWS,
  type MaintenanceAnswer,
  type MaintenanceUpdate,
  type NewMaintenance,
  toMaintenance,
} from "./model.ts";
import { isLocalTime } from "./windows.ts";

/** All windows of the org, in the order they were made. */
export async function listMaintenance(deps: Deps, { orgId }: Pick<Actor, "orgId">) {
  const now = deps.clock.now();
  const rows = await maintenanceOf(deps.store.records, orgId);
  return { items: rows.map((row) => toMaintenance(row, now)) };
}

/** @throws AppError `not_found`, `wrong_org` */
export async function showMaintenance(deps: Deps, actor: Actor, id: string): Promise<MaintenanceAnswer> {
  return toMaintenance(await own(deps.store.records, actor, id), deps.clock.now());
}

/** @throws AppError `cron_invalid`, `validation_failed`, `not_found` naming a scenario, `conflict` when the org has too many */
export async function createMaintenance(
  deps: Deps,
  actor: Actor,
  wanted: NewMaintenance,
): Promise<MaintenanceAnswer> {
  const now = deps.clock.now();
  const row: MaintenanceRow = {
    id: deps.ids.uuid(),
    org_id: actor.orgId,
    name: wanted.name,
    timezone: wanted.timezone ?? "UTC",
    starts_at: wanted.starts_at ?? null,
    cron: wanted.cron ?? null,
    duration_minutes: wanted.duration_minutes,
    scenario_ids: null,
    created_at: now,
    updated_at: now,
  };
  requireTimes(row);
  await commit(deps, async (within) => {
    row.scenario_ids = await idsOf(within, actor, wanted.scenarios ?? null);
    if (!(await insertMaintenance(within, row, MAX_WINDOWS)))
      throw conflict(`An org has at most ${MAX_WINDOWS} maintenance windows.`);
    await audit(deps, within, actor, "maintenance.create", row);
  });
  return toMaintenance(row, now);
}

/** Changes what is named; what waits for its end waits for the new one. @throws AppError as `createMaintenance` */
export async function updateMaintenance(
  deps: Deps,
  actor: Actor,
  id: string,
  wanted: MaintenanceUpdate,
): Promise<MaintenanceAnswer> {
  if (wanted.starts_at !== undefined && wanted.cron !== undefined) throw oneOfBoth();
  const now = deps.clock.now();
  const row = await commit(deps, async (within) => {
    const known = await own(within, actor, id);
    const { name, timezone, duration_minutes, starts_at, cron, scenarios } = wanted;
    const changed: MaintenanceRow = {
      ...known,
      ...(name !== undefined && { name }),
      ...(timezone !== undefined && { timezone }),
      ...(duration_minutes !== undefined && { duration_minutes }),
      ...(starts_at !== undefined && { starts_at, cron: null }),
      ...(cron !== undefined && { cron, starts_at: null }),
      ...(scenarios !== undefined && { scenario_ids: await idsOf(within, actor, scenarios) }),
      updated_at: now,
    };
    requireTimes(changed);
    const { id: target, org_id: _, created_at: __, ...changes } = changed;
    await changeMaintenance(within, target, changes);
    await endWaits(within, known, now);
    await audit(deps, within, actor, "maintenance.update", changed);
    return changed;
  });
  return toMaintenance(row, now);
}

/** Removes a window; what waits for its end is told now. @throws AppError `not_found`, `wrong_org` */
export async function deleteMaintenance(deps: Deps, actor: Actor, id: string): Promise<void> {
  await commit(deps, async (within) => {
    const row = await own(within, actor, id);
    await removeMaintenance(within, row.id);
    await endWaits(within, row, deps.clock.now());
    await audit(deps, within, actor, "maintenance.delete", row);
  });
}

/**
 * Ends the wait of what maintenance put off, in the transaction that changes a window: nothing else waits longer than the longest
 * grouping window. Whoever delivers puts off anew what is still to be quiet.
 */
function endWaits(within: Trx, { org_id: orgId }: MaintenanceRow, now: number): Promise<void> {
  const reason = "Due since the maintenance that it waited for was changed or removed.";
  return hasten(within, { orgId, now, least: OUTAGE_MS, reason });
}

function audit(deps: Deps, within: Trx, actor: Actor, action: string, row: MaintenanceRow): Promise<void> {
  const { id: target, name, timezone, starts_at, cron, duration_minutes } = row;
  const detail = { name, timezone, starts_at, cron, duration_minutes };
  return auditAct(within, actor, { at: deps.clock.now(), action, target, detail });
}

async function own(db: Db, actor: Pick<Actor, "orgId">, id: string): Promise<MaintenanceRow> {
  const row = await findMaintenance(db, id.toLowerCase());
  if (!row) throw notFound("The maintenance window");
  if (row.org_id !== actor.orgId)
    throw new AppError("wrong_org", "The maintenance window belongs to another org.");
  return row;
}

const oneOfBoth = () =>
  invalid('The body must have one of the fields "starts_at" and "cron": a window comes once or again.');

function requireTimes({ timezone, starts_at, cron }: MaintenanceRow): void {
  requireTimeZone(timezone);
  if ((starts_at === null) === (cron === null)) throw oneOfBoth();
  if (starts_at !== null && !isLocalTime(starts_at))
    throw invalid(
      `The body's field "starts_at": ${starts_at} is no time of the calendar; hours are 00 to 23, so that midnight is 00:00 of the next day.`,
    );
  const wrong = cron === null ? null : readProblem(cron);
  if (wrong) throw new AppError("cron_invalid", `The body's field "cron": ${wrong}`);
}

/** JSON of the scenarios' ids. @throws AppError `validation_failed` naming one that is not there */
async function idsOf(
  within: Trx,
  { orgId }: Pick<Actor, "orgId">,
  named: readonly string[] | null,
): Promise<string | null> {
  if (named === null) return null;
  const ids = new Set<string>();
  for (const name of named) {
    const scenario = await findScenario(within, orgId, name);
    if (!scenario) throw invalid(`The body's field "scenarios": there is no scenario "${name}".`);
    ids.add(scenario.id);
  }
  return JSON.stringify([...ids]);
}
