import type { DueCheck } from "../../../store/records/check-ticks.ts";
import { countFires, lastFire, nextFire } from "../../run/language/fires.ts";

/** From when on a fire that is run late is one that was caught up. */
const LATE_MS = 30_000;

/** What has come of a check's schedule since it was last looked at. */
export interface DueFires {
  /** The fire that is run: the newest one. */
  tick: number;
  isCatchUp: boolean;
  /** The next one. */
  next: number;
  /** Fires before `tick` that nobody ran; null when there is none. */
  missed: { first: number; last: number; ticks: number } | null;
}

/**
 * After sleep or downtime one fire is run, the newest; those before are left out.
 * @returns null for a schedule that never comes again
 */
export function dueFires(
  check: Pick<DueCheck, "cron" | "timezone" | "next_run_at">,
  now: number,
): DueFires | null {
  const first = check.next_run_at!;
  const tick = Math.max(first, lastFire(check, now) ?? first);
  const next = nextFire(check, Math.max(tick, now));
  if (next === null) return null;
  const isCatchUp = tick > first || now - tick > LATE_MS;
  if (tick === first) return { tick, isCatchUp, next, missed: null };
  const last = lastFire(check, tick - 1) ?? first;
  return { tick, isCatchUp, next, missed: { first, last, ticks: countFires(check, first, last) } };
}
