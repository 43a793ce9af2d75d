import { Cron } from "croner";
import type { MaintenanceRow } from "../../../store/records/maintenance.ts";
import { fromIso } from "../../platform/clock.ts";

/** A time in which nothing is told: `from` belongs to it, `to` does not. Epoch ms. */
export interface Span {
  from: number;
  to: number;
}

type Window = Pick<MaintenanceRow, "timezone" | "starts_at" | "cron" | "duration_minutes">;

const MINUTE_MS = 60_000;

/**
 * Whether nothing is to be told at a time: one of the windows goes on. A window begins when clocks of its zone show its beginning: at
 * the first moment after a gap where that time is left out, and at the first of two where it comes twice. From there it lasts its
 * minutes, whatever clocks do meanwhile.
 * @param windows those that are meant for the scenario (`windowsFor`)
 * @param at epoch ms
 */
export function isInMaintenance(windows: readonly Window[], at: number): boolean {
  return windows.some((window) => {
    const next = spansOf(window, at, 1)[0];
    return next !== undefined && next.from <= at;
  });
}

/** The windows that are meant for a scenario. */
export function windowsFor<Row extends Pick<MaintenanceRow, "scenario_ids">>(
  windows: readonly Row[],
  scenarioId: string,
): Row[] {
  return windows.filter(
    ({ scenario_ids }) =>
      scenario_ids === null || (JSON.parse(scenario_ids) as string[]).includes(scenarioId),
  );
}

/** The next times of a window that are not over at `from` (epoch ms), in their order. */
export function spansOf(window: Window, from: number, count: number): Span[] {
  const lasts = window.duration_minutes * MINUTE_MS;
  // What began so long ago or before is over. croner counts in whole seconds.
  const after = new Date(Math.floor((from - lasts) / 1000) * 1000);
  return beginnings(window)
    .nextRuns(count, after)
    .map((begins) => ({ from: begins.getTime(), to: begins.getTime() + lasts }));
}

function beginnings({ timezone, starts_at, cron }: Window): Cron {
  if (cron !== null) return new Cron(cron, { timezone, mode: cron.startsWith("@") ? "auto" : "5-part" });
  const [, year, month, day, hour, minute] = LOCAL_TIME.exec(starts_at!)!;
  // As a pattern it has the rule for gaps that other patterns have.
  return new Cron(`0 ${minute} ${hour} ${day} ${month} * ${year}`, { timezone, mode: "7-part" });
}

/** A wall clock time, as a window's beginning is written. Patterns have no 24:00, which ISO 8601 has, and no year 0. */
const LOCAL_TIME = /^(?!0000)(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d)$/;

/** Whether clocks may show a time, so that a window can begin at it. */
export const isLocalTime = (text: string): boolean => LOCAL_TIME.test(text) && fromIso(text) !== null;
