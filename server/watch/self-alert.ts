import {
  type AlertResultRow,
  closeSelfAlert,
  closeStaleSelfAlerts,
  countRunError,
  forgetRunErrors,
  hasStaleSelfAlerts,
  markErrorsTold,
  openSelfAlert,
  runErrorsOf,
  unwatchedRunErrors,
} from "../../store/records/alert-results.ts";
import type { Db, Trx } from "../../store/records/db.ts";
import { insertNotice } from "../../store/records/notices.ts";
import type { Deps } from "../deps.ts";

/** Runs in a row that end in an error, in one region, before anybody is told. */
export const ERRORS_IN_A_ROW = 3;
const AT_ONCE = 1000;

/** What breaks here is seldom one scenario's alone: of what comes within an hour one notice tells. */
const APART_MS = 60 * 60_000;

/** What is sent when runs cannot be made: it is about this program and no incident of a scenario. */
export const SELF_ALERT = "monitor.errors";

/**
 * Runs that end in an error say nothing about their target, and that nothing is watched has to be told all the same: once for each scenario
 * and region, until a run could be made there again. Those of an org that nobody was told of yet are told together.
 */
export async function followErrors(
  deps: Pick<Deps, "ids">,
  trx: Trx,
  { org_id, scenario_id, region, run_id, status }: AlertResultRow,
  now: number,
): Promise<void> {
  if (status === "error") {
    const why = "runs in a row could not be made: nothing is known of their target.";
    return noteNotMade(deps, trx, { org_id, scenario_id, region, run_id, why }, now);
  }
  const wasBroken = await forgetRunErrors(trx, scenario_id, region);
  if (wasBroken && (await runErrorsOf(trx, org_id, ERRORS_IN_A_ROW)).length === 0)
    await closeSelfAlert(trx, org_id);
}

/**
 * Counts one more run in a row of a scenario in a region that could not be made, and has it told when it is time.
 * @param what.run_id null where there was not even a run
 * @param what.why the sentence that begins with how many there were
 */
export async function noteNotMade(
  { ids }: Pick<Deps, "ids">,
  trx: Trx,
  what: { org_id: string; scenario_id: string; region: string; run_id: string | null; why: string },
  now: number,
): Promise<void> {
  const { org_id, scenario_id, region, run_id, why } = what;
  const last_run_id = run_id ?? "";
  const { errors, told_at } = await countRunError(trx, { org_id, scenario_id, region, last_run_id });
  if (errors < ERRORS_IN_A_ROW || told_at !== null) return;
  if (!(await openSelfAlert(trx, { org_id, opened_at: now, run_id: last_run_id }, APART_MS))) return;
  const others = (await markErrorsTold(trx, org_id, ERRORS_IN_A_ROW, now)) - 1;
  await insertNotice(trx, {
    ...{ id: ids.uuid(), org_id, scenario_id, region, run_id, event: SELF_ALERT },
    ...{ incident_id: null, failure_signature: null, trace_id: null, channels: null },
    ...{ due_at: now, created_at: now },
    reason: `${errors} ${why}${alsoOf(others)}`,
  });
}

const alsoOf = (others: number): string =>
  others === 0 ? "" : ` The same holds for ${others} more, counted by scenario and region.`;

/** Whether errors are remembered, or that somebody was told of them, where no check runs any more. */
export async function hasStaleErrors(db: Db): Promise<boolean> {
  return (await unwatchedRunErrors(db, 1)).length > 0 || (await hasStaleSelfAlerts(db, ERRORS_IN_A_ROW));
}

/** Forgets them: no run would, and while they are remembered, runs that cannot be made are not told. */
export async function forgetStaleErrors(trx: Trx): Promise<void> {
  for (const { scenario_id, region } of await unwatchedRunErrors(trx, AT_ONCE))
    await forgetRunErrors(trx, scenario_id, region);
  await closeStaleSelfAlerts(trx, ERRORS_IN_A_ROW);
}
