import type { Db } from "../../../store/records/db.ts";
import { maintenanceOf } from "../../../store/records/maintenance.ts";
import type { Deps } from "../../deps.ts";
import { spansOf, windowsFor } from "../maintenance/windows.ts";
import { insertRetry } from "../scheduler/retry.ts";
import type { Surroundings } from "./follow-run.ts";

/** Windows that follow each other without a gap, at most. */
const MOST_IN_A_ROW = 20;

/** What the rest of the wing knows. */
export function surroundingsOf(deps: Pick<Deps, "ids" | "clock">): Surroundings {
  return {
    quietUntil: maintenanceUntil,
    async retry(trx, after, run) {
      await insertRetry(deps, trx, after, run);
    },
  };
}

/** The end of the maintenance that goes on at a time, with what begins before that is over; null when none goes on. */
async function maintenanceUntil(
  db: Db,
  { orgId, scenarioId }: { orgId: string; scenarioId: string },
  now: number,
): Promise<number | null> {
  const windows = windowsFor(await maintenanceOf(db, orgId), scenarioId);
  let until = now;
  for (let turn = 0; turn < MOST_IN_A_ROW; turn++) {
    const ends = windows
      .map((window) => spansOf(window, until, 1)[0])
      .filter((span) => span !== undefined && span.from <= until)
      .map((span) => span!.to);
    if (ends.length === 0) break;
    until = Math.max(...ends);
  }
  return until > now ? until : null;
}
