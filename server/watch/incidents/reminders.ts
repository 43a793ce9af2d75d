import { type CheckRow, findCheck, listChecks } from "../../../store/records/checks.ts";
import type { Db } from "../../../store/records/db.ts";
import {
  decideAlone,
  findIncident,
  type IncidentRow,
  openIncidentsAfter,
} from "../../../store/records/incidents.ts";
import { findRun } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { remind, reminderAt } from "../alerts/remind.ts";
import { type AlertState, GLOBAL, type Incident } from "../alerts/state.ts";
import { type AlertPolicy, policyOf } from "../policy.ts";
import type { Surroundings } from "./follow-run.ts";
import { loadState, writeChanges } from "./kept.ts";

/** Reminders are late by so much at most, while the server runs. */
const LOOK_MS = 15_000;
const AT_ONCE = 500;
/** Checks of one scenario that are asked. */
const MOST_CHECKS = 200;

type Quiet = Pick<Surroundings, "quietUntil">;
type ReminderDeps = Pick<Deps, "store" | "clock" | "ids" | "hub" | "jobs">;

/**
 * Tells of incidents again whose time has come, by the clock: a check that runs every hour is reminded of as often as one that runs
 * each minute. All that is asked stands in the records, so that a restart changes nothing, and who comes second finds the notice there.
 */
export function remindersTask(deps: ReminderDeps, quiet: Quiet): PeriodicTask {
  return {
    name: "incidents.reminders",
    everyMs: LOOK_MS,
    of: "store",
    isDue: async () => {
      for await (const _ of dueReminders(deps)) return true;
      return false;
    },
    async run() {
      for await (const incident of dueReminders(deps)) await tellAgain(deps, quiet, incident);
    },
  };
}

/** Incidents that are to be told again now. */
async function* dueReminders({ store, clock }: ReminderDeps): AsyncGenerator<IncidentRow> {
  const { records } = store;
  for (let after = ""; ; ) {
    const rows = await openIncidentsAfter(records, after, AT_ONCE);
    for (const row of rows) if (await isDue(records, row, clock.now())) yield row;
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)!.id;
  }
}

async function isDue(db: Db, row: IncidentRow, now: number): Promise<boolean> {
  const known = await reminderOf(db, row, now);
  return known !== null && known.at <= now;
}

interface Reminder {
  at: number;
  policy: AlertPolicy;
  check: CheckRow;
  state: AlertState;
}

/** When an incident is to be told again, under the policy of now; null when nobody is reminded, or while it does not fail. */
async function reminderOf(db: Db, row: IncidentRow, now: number): Promise<Reminder | null> {
  const check = await checkOf(db, row);
  if (!check || (check.paused_until !== null && check.paused_until > now)) return null;
  const policy = policyOf(check);
  if (policy.remind_minutes === undefined) return null;
  const state = await loadState(db, row.scenario_id);
  const incident = state.incidents.find(({ id }) => id === row.id);
  const at = incident && reminderAt(incident, state.notices, policy);
  if (!incident || at === null || at === undefined) return null;
  return (await isFailing(db, incident, state)) ? { at, policy, check, state } : null;
}

/** The check that is on whose runs an incident is about: the one of its newest run, or else any of its scenario and region. */
async function checkOf(db: Db, row: IncidentRow): Promise<CheckRow | null> {
  const run = await findRun(db, row.last_run_id);
  const own = run?.check_id ? await findCheck(db, run.check_id) : null;
  if (own?.enabled === 1) return own;
  const of = { orgId: row.org_id, scenarioId: row.scenario_id, isEnabled: true, limit: MOST_CHECKS };
  const watches = ({ regions }: CheckRow) =>
    row.region === GLOBAL || (JSON.parse(regions) as string[]).includes(row.region);
  return (await listChecks(db, of)).find(watches) ?? null;
}

/** Whether the newest run failed: of an outage, that of any region that it holds. What is slow may pass. */
async function isFailing(db: Db, incident: Incident, { incidents }: AlertState): Promise<boolean> {
  const parts = incidents.filter(({ parentId }) => parentId === incident.id);
  for (const { rules, lastRunId } of parts.length > 0 ? parts : [incident]) {
    if (rules.includes("latency_p99")) return true;
    const run = await findRun(db, lastRunId);
    if (run?.status !== "passed") return true;
  }
  return false;
}

async function tellAgain(
  deps: ReminderDeps,
  { quietUntil }: Quiet,
  { id, org_id, scenario_id }: IncidentRow,
) {
  await commit(deps, async (trx, after) => {
    await decideAlone(trx, scenario_id);
    const now = deps.clock.now();
    const row = await findIncident(trx, id);
    const due = row && (await reminderOf(trx, row, now));
    if (!due || due.at > now) return;
    const of = { orgId: org_id, scenarioId: scenario_id };
    const changes = remind(due.state, id, {
      policy: due.policy,
      newId: () => deps.ids.uuid(),
      ...{ now, regions: (JSON.parse(due.check.regions) as string[]).length },
      channels: due.policy.channels ?? null,
      quietUntil: await quietUntil(trx, of, now),
    });
    await writeChanges(trx, after, changes, { ...of, now, policy: due.policy });
  });
}
