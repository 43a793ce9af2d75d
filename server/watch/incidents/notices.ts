import { findCheck, listChecks } from "../../../store/records/checks.ts";
import type { Db } from "../../../store/records/db.ts";
import { findIncident } from "../../../store/records/incidents.ts";
import { type NoticeRow, postpone, supersede, waitingNotices } from "../../../store/records/notices.ts";
import { findRun } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import type { Surroundings } from "./follow-run.ts";

/** Checks of one scenario that are asked whether they are paused. */
const MOST_CHECKS = 200;
const AGAIN_MS = 15_000;

const QUIET = "Maintenance is going on: it is told when that ends, if it is still so.";

/**
 * Notices to be delivered now, the longest due first. A notice is about what its columns say; `channels` names those that it goes to
 * (null: all that are enabled; `[]`: none). Whoever delivers writes its deliveries and calls `handOn(trx, id, now)` of
 * `store/records/notices.ts` in one transaction, and leaves out what that says false to: another server took it, or it was superseded.
 * Do so for a notice without any channel too: "told" is what a later `incident.resolved` depends on.
 *
 * What is due while maintenance is going on waits until that ends; while the check is paused it is taken back, and told at the next
 * failure after that.
 * @param now epoch ms
 */
export async function dueNotices(
  deps: Pick<Deps, "store" | "log">,
  surroundings: Pick<Surroundings, "quietUntil">,
  now: number,
  limit: number,
): Promise<NoticeRow[]> {
  const { records } = deps.store;
  const due: NoticeRow[] = [];
  for (const notice of await waitingNotices(records, now, limit))
    await tellApart(deps, notice, now, async () => {
      if (await isDueNow(records, surroundings, notice, now)) due.push(notice);
    });
  return due;
}

/** Whether a notice whose time has come is told now; where it is not, it is put off or taken back. */
async function isDueNow(
  records: Db,
  { quietUntil }: Pick<Surroundings, "quietUntil">,
  notice: NoticeRow,
  now: number,
): Promise<boolean> {
  const { id, incident_id, org_id, scenario_id } = notice;
  if (incident_id === null || scenario_id === null) return true;
  const of = { orgId: org_id, scenarioId: scenario_id };
  const until = await quietUntil(records, of, now);
  if (until !== null && until > now) {
    await postpone(records, id, until, QUIET);
    // Whoever changed a window after it was read did not find this notice among those that waited for it: the next look decides anew.
    if ((await quietUntil(records, of, now)) !== until) await postpone(records, id, now, QUIET);
    return false;
  }
  if (!(await isPaused(records, notice, now))) return true;
  await supersede(records, id, now, "The check was paused before anybody was told.");
  return false;
}

/**
 * Does something for one notice. One that cannot be told keeps none of the others back, which may be another org's: it is logged, and
 * waits a moment before the next try.
 */
export async function tellApart(
  { store, log }: Pick<Deps, "store" | "log">,
  { id, reason }: Pick<NoticeRow, "id" | "reason">,
  now: number,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    log.error("A notice could not be told", { id, error });
    await postpone(store.records, id, now + AGAIN_MS, reason);
  }
}

/** Whether the check that made an incident is paused; one that is gone is not. */
async function isPaused(db: Db, { incident_id, run_id }: NoticeRow, now: number): Promise<boolean> {
  const incident = await findIncident(db, incident_id!);
  // What has ended is told: that is the last word on it.
  if (!incident || incident.resolved_at !== null) return false;
  const run = run_id === null ? null : await findRun(db, run_id);
  const check = run && run.check_id !== null ? await findCheck(db, run.check_id) : null;
  const checks = check
    ? [check]
    : await listChecks(db, { orgId: incident.org_id, scenarioId: incident.scenario_id, limit: MOST_CHECKS });
  return checks.length > 0 && checks.every(({ paused_until }) => paused_until !== null && paused_until > now);
}
