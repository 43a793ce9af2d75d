import { restsOf } from "../../../store/records/check-rests.ts";
import { type CheckRow, listChecks, skippedTicksOf } from "../../../store/records/checks.ts";
import type { Db } from "../../../store/records/db.ts";
import { type MaintenanceRow, maintenanceOf } from "../../../store/records/maintenance.ts";
import type { Series } from "../../../store/records/result-hours.ts";
import { nextFires } from "../../run/language/fires.ts";
import { spansOf, windowsFor } from "../maintenance/windows.ts";
import type { Around } from "./hours.ts";
import type { Span } from "./spans.ts";

const MINUTE_MS = 60_000;
/** Checks of one scenario that are looked at. */
const MOST_CHECKS = 200;
/** Times of one maintenance window that are looked at. */
const MOST_SPANS = 2500;
/** Where no check is there any more. */
const USUAL_GAP_MS = 5 * MINUTE_MS;
/** An hour of a check that fires every minute. */
const FIRES_OF_AN_HOUR = 61;

/** How long a result speaks at most: for two fires of the schedule, and as long as a run may well take. */
export const holdOf = (gapMs: number): number => 2 * gapMs + MINUTE_MS;

/** The longest time between two fires of the hours to come. */
export function longestGap(schedule: Pick<CheckRow, "cron" | "timezone">, now: number): number {
  const fires = nextFires(schedule, now, FIRES_OF_AN_HOUR);
  return Math.max(0, ...fires.slice(1).map((fire, index) => fire - fires[index]!));
}

/** When maintenance of a scenario went on from a time to another. */
export function maintenanceSpans(
  windows: readonly MaintenanceRow[],
  scenarioId: string,
  { from, to }: Span,
): Span[] {
  return windowsFor(windows, scenarioId).flatMap((window) => spansWithin(window, { from, to }));
}

function spansWithin(window: MaintenanceRow, { from, to }: Span): Span[] {
  // As many as may come, and no more: most windows come once or never within a few minutes.
  for (let count = 2; ; count *= 8) {
    const spans = spansOf(window, from, Math.min(count, MOST_SPANS));
    const isAll = spans.length < count || spans.at(-1)!.from >= to || count >= MOST_SPANS;
    if (isAll) return spans.filter((span) => span.from < to);
  }
}

/** What the records know around a series since a time (epoch ms): its gaps, its maintenance, how long a result speaks. */
export async function aroundOf(
  db: Db,
  { scenario_id, region, org_id }: Series & { org_id: string },
  { from, to }: Span,
): Promise<Around> {
  const all = await listChecks(db, { orgId: org_id, scenarioId: scenario_id, limit: MOST_CHECKS });
  const checks = all.filter(({ regions }) => (JSON.parse(regions) as string[]).includes(region));
  const ids = checks.map(({ id }) => id);
  const skips = (await skippedTicksOf(db, ids, from)).filter((skip) => skip.region === region);
  const rests = await restsOf(db, ids, from);
  const cuts = [...skips.map(({ first_at }) => first_at), ...rests.map(({ from_at }) => from_at)];
  const gaps = checks.map((check) => longestGap(check, to));
  return {
    maintenance: maintenanceSpans(await maintenanceOf(db, org_id), scenario_id, { from, to }),
    cuts: cuts.sort((a, b) => a - b),
    holdMs: holdOf(gaps.length > 0 ? Math.max(...gaps) : USUAL_GAP_MS),
  };
}
